"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SIGNS = { agrees: "=", differs: "≠", refuses: "r", crashes: "†", hangs: "…", "not there": "·", accepts: "+" };
const QUIET = ["agrees", "not there"];
const OTHERWISE = "read otherwise";  // an agreement, but for inputs about which the text is silent
const readsOtherwise = (f) => f.verdict === "agrees" && f.open_differing > 0;
const targets = data.targets.filter((t) => t.missing === null).map((t) => t.target);
const cells = new Map(data.cells.map((cell) => [cell.cell, cell]));
const findings = new Map();
for (const finding of data.findings) {
  if (!findings.has(finding.cell)) findings.set(finding.cell, new Map());
  findings.get(finding.cell).set(finding.target, finding);
}

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
const percent = (part, all) => (part === all ? "100%" : (100 * part / all).toFixed(1) + "%");
const number = (value) => value.toLocaleString("en");
const label = (cell) => `${cell.specification.toUpperCase()} ${cell.operator}`;
const version = (cell) => `${cell.specification.toUpperCase()} ${cell.version}`;
const later = (a, b) => a.localeCompare(b, "en", { numeric: true });

for (const t of data.targets) {
  $("targets").append(make("li", {}, make("b", {}, t.target), ` ${t.missing === null ? t.version : "not run: " + t.missing}`));
}
const meaningId = (verdict) => "meaning-" + verdict.replaceAll(" ", "-");
for (const [verdict, meaning] of Object.entries(data.verdicts)) {
  const sign = () => make("span", { class: verdict.split(" ")[0] }, `${SIGNS[verdict]} ${verdict}`);
  $("signs").append(make("span", { class: "sign" }, sign()), " ");
  $("meanings").append(make("div", {}, make("dt", {}, sign()), make("dd", { id: meaningId(verdict) }, meaning)));
}
const starred = () => make("span", { class: "agrees" }, `${SIGNS.agrees}* ${OTHERWISE}`);
$("signs").append(make("span", { class: "sign" }, starred()), " ");
$("meanings").append(make("div", {}, make("dt", {}, starred()), make("dd", { id: meaningId(OTHERWISE) },
  "agrees, but has other bits than lanewise's reading for some input about which the text is silent")));
$("legend").open = !matchMedia("(max-width: 640px)").matches;

function fill(id, first, values) {
  $(id).append(...first.map(([value, text]) => make("option", { value }, text)));
  $(id).append(...[...new Set(values)].map((value) => make("option", { value }, value)));
  $(id).addEventListener("change", draw);
}
fill("operator", [["", "all"]], data.cells.map(label));
fill("version", [["", "all"]], data.cells.map(version).sort(later));
fill("type", [["", "all"]], data.cells.map((cell) => cell.type));
fill("target", [["", "all"]], targets);
fill("verdict", [["*", "findings"], ["", "everything"]], [...Object.keys(data.verdicts), OTHERWISE]);

function shown(cell) {
  if ($("operator").value && label(cell) !== $("operator").value) return false;
  if ($("version").value && version(cell) !== $("version").value) return false;
  if ($("type").value && cell.type !== $("type").value) return false;
  const wanted = $("verdict").value;
  const asked = [...(findings.get(cell.cell) || new Map()).values()].filter((f) => !$("target").value || f.target === $("target").value);
  if (wanted === "*") return asked.some((f) => !QUIET.includes(f.verdict) || f.open_differing > 0);
  if (wanted === OTHERWISE) return asked.some((f) => f.open_differing > 0);
  return asked.length > 0 && (!wanted || asked.some((f) => f.verdict === wanted));
}

function draw() {
  const columns = $("target").value ? [$("target").value] : targets;
  const head = make("tr", {}, make("th", { scope: "col" }, "operator"), ...columns.map((t) => make("th", { scope: "col" }, t)));
  const rows = data.cells.filter(shown).map((cell) => {
    const name = make("th", { scope: "row" }, make("b", {}, cell.operator), ` ${cell.version} `, make("span", {}, cell.type), " ",
      make("small", {}, `${cell.setting}${cell.listed ? "" : " not listed"}`));
    return make("tr", {}, name, ...columns.map((target) => {
      const finding = findings.get(cell.cell).get(target);
      if (!finding) return make("td", {}, make("span", { class: "unseen" }, "not asked"));
      const share = finding.differing ? " " + percent(finding.differing, finding.compared) : "";
      const otherwise = readsOtherwise(finding);
      const spoken = `${finding.verdict}${share}${otherwise ? `, ${number(finding.open_differing)} of ${number(finding.open)} inputs ${OTHERWISE} (${finding.reading})` : ""}`;
      const button = make("button", { type: "button", class: finding.verdict.split(" ")[0], "aria-label": `${target}, ${cell.cell}: ${spoken}`, "aria-describedby": meaningId(otherwise ? OTHERWISE : finding.verdict) },
        SIGNS[finding.verdict] + (otherwise ? "*" : ""), make("span", { class: "word" }, QUIET.includes(finding.verdict) ? "" : " " + finding.verdict), share);
      button.addEventListener("click", () => open(cell, finding));
      return make("td", {}, button);
    }));
  });
  $("matrix").tHead.replaceChildren(head);
  $("matrix").tBodies[0].replaceChildren(...rows);
  $("count").textContent = `${rows.length} of ${data.cells.length} rows`;
}

function table(name, head, rows) {
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": name }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((part) => make("td", {}, ...[part].flat())))))));
}
const bits = (value, pattern) => [value, make("code", {}, pattern)];

function open(cell, finding) {
  const body = [make("p", {}, make("b", { class: finding.verdict.split(" ")[0] }, finding.verdict), ": ", data.verdicts[finding.verdict], ".")];
  const say = (text) => body.push(make("p", {}, text));
  if (finding.message) say(finding.message);
  if (finding.compared) say(`${number(finding.differing)} of ${number(finding.compared)} inputs differ${finding.exhaustive && !finding.not_run && !finding.failing.length ? " (every input there is)" : ""}.`);
  if (finding.open) say(`The text is silent about ${number(finding.open)} inputs (reading ${finding.reading}); ${number(finding.open_differing)} of them differ from that reading. They are not counted.`);
  if (finding.outside) say(`${number(finding.outside)} inputs are unpredictable and not compared.`);
  if (finding.not_run) say(`${number(finding.not_run)} inputs have no result: not run, or only together with inputs that failed.`);
  const images = data.pictures[`${finding.target}\n${cell.cell}`];
  if (images) {
    body.push(make("h3", {}, `All 65,536 inputs: ${cell.operands[0]} to the right, ${cell.operands[1]} upwards`));
    const figure = (name, caption) => make("figure", {}, make("img", { src: data.images[images[name]], width: 256, height: 256, alt: `${caption}, ${finding.target}, ${cell.cell}` }), make("figcaption", {}, caption));
    body.push(make("div", { class: "pictures" }, figure("specified", "Specified"), figure("target", finding.target), figure("difference", "Difference: red differs; blue is not specified")));
  }
  const rules = (title, found) => {
    if (!found.length) return;
    body.push(make("h3", {}, title));
    body.push(table(title, ["rule", "explains", "what it does"], found.map((rule) => [rule.name,
      [make("meter", { min: 0, max: rule.of, value: rule.explained, "aria-label": `${rule.name} explains` }), " " + percent(rule.explained, rule.of)], rule.meaning])));
  };
  rules("Rules that reproduce it", finding.rules);
  if (finding.failing.length) {
    body.push(make("h3", {}, "Smallest inputs on which it failed"));
    body.push(table("Smallest inputs on which it failed", ["failure", ...cell.operands, "answer"], finding.failing.map((f) => [
      `${{ mistyped: "another type or shape" }[f.kind] || f.kind} (${{ specified: "specified", open: "text is silent", outside: "unpredictable" }[f.place]})`,
      ...f.operands.map((value, k) => bits(value, f.operand_bits[k])), f.message])));
  }
  const inputs = (title, found) => {
    if (!found.length) return;
    body.push(make("h3", {}, title));
    body.push(table(title, ["chosen as", ...cell.operands, "specified", finding.target], found.map((e) => [e.why,
      ...e.operands.map((value, k) => bits(value, e.operand_bits[k])), bits(e.expected, e.expected_bits), bits(e.got, e.got_bits)])));
  };
  inputs("Inputs that differ", finding.elements);
  rules("Rules that reproduce what is read otherwise", finding.open_rules);
  inputs("Inputs that are read otherwise", finding.open_elements);
  const layouts = Object.entries(finding.layouts);
  if (layouts.length) say("Other layouts: " + layouts.map(([name, text]) => `${name} ${text}`).join("; ") + ".");
  $("detail-title").textContent = `${finding.target}: ${cell.cell}`;
  $("detail-body").replaceChildren(...body);
  $("detail").showModal();
  $("detail").scrollTop = 0;
}
$("close").addEventListener("click", () => $("detail").close());
$("detail").addEventListener("click", (event) => { if (event.target === $("detail")) $("detail").close(); });

function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").setAttribute("aria-pressed", String(dark));
}
const preferred = matchMedia("(prefers-color-scheme: dark)");
theme(preferred.matches);
preferred.addEventListener("change", (event) => theme(event.matches));
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme !== "dark"));
$("filters").addEventListener("submit", (event) => event.preventDefault());
draw();
document.documentElement.dataset.ready = "yes";

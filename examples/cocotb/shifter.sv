// The shifter of a small ALU: an element a clock, its answer at the next rising edge.
//
// One fault is planted: the sum of data and the half for rounding has no bit for its carry, so that it
// wraps near the largest number. KEEP_CARRY = 1 repairs it.
module shifter #(
  parameter int WIDTH = 16,
  parameter int KEEP_CARRY = 0
) (
  input  logic clock,
  input  logic reset,
  input  logic in_valid,
  input  logic [1:0] op,
  input  logic signed [WIDTH-1:0] data,
  input  logic [$clog2(WIDTH)-1:0] count,
  output logic out_valid,
  output logic signed [WIDTH-1:0] result
);
  localparam logic [1:0] LEFT = 2'd0, LOGICAL_RIGHT = 2'd1, ROUNDED_RIGHT = 2'd3;  // 2 is right, rounded down
  localparam int SUM = WIDTH + KEEP_CARRY;

  logic signed [SUM-1:0] half, sum, moved;
  logic signed [WIDTH-1:0] shifted;

  always_comb begin
    half = '0;
    if (op == ROUNDED_RIGHT && count != '0) half[count-1'b1] = 1'b1;
    sum = data + half;
    moved = sum >>> count;
    case (op)
      LEFT: shifted = data << count;
      LOGICAL_RIGHT: shifted = $unsigned(data) >> count;
      default: shifted = moved[WIDTH-1:0];
    endcase
  end

  always_ff @(posedge clock) begin
    out_valid <= in_valid & ~reset;
    result <= shifted;
  end
endmodule

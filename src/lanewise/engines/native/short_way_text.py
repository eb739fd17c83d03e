"""The short way from a call to its loop, as text for the compiler, and where it finds what it reads.

It is in the terms of CPython's and NumPy's C interfaces. `short_way` fills in the addresses of their functions.
"""

from __future__ import annotations

import sys

# Calls of more take the general way.
MOST_OPERANDS = 31
MOST_KEYWORDS = 4
SLOTS = MOST_OPERANDS + 1

# Where things are: an object's type, the head of an array, and of a dtype.
TYPE, DATA, RANK, SHAPE, STRIDES, DTYPE = 8, 16, 24, 32, 40, 56
ORDER, NUMBER = 26, 28
# Orders of bytes: this machine's by two names, and that of single bytes.
NATIVE, NAMED, SINGLE = ord("="), ord("<" if sys.byteorder == "little" else ">"), ord("|")

# Words of the table of loops: how many there are, then each of them.
OPERANDS, NUMBER_OF, LIMIT, LOOP, FAILURES, OWNER, CHECKS, RESULT, ITEM, RESULT_ITEM, KEYWORDS, NAMES = range(12)
ENTRY = NAMES + 2 * MOST_KEYWORDS

TEXT = """
; Whether two arrays have the same shape; %rank is the first's.
define internal i1 @same_shape(ptr %a, ptr %b, i32 %rank) alwaysinline {{
entry:
  %a_shape_at = getelementptr i8, ptr %a, i64 {SHAPE}
  %a_shape = load ptr, ptr %a_shape_at
  %b_shape_at = getelementptr i8, ptr %b, i64 {SHAPE}
  %b_shape = load ptr, ptr %b_shape_at
  %b_rank_at = getelementptr i8, ptr %b, i64 {RANK}
  %b_rank = load i32, ptr %b_rank_at
  %same_rank = icmp eq i32 %rank, %b_rank
  br i1 %same_rank, label %next, label %no
next:
  %k = phi i32 [ 0, %entry ], [ %after, %equal ]
  %all = icmp eq i32 %k, %rank
  br i1 %all, label %yes, label %look
look:
  %a_at = getelementptr i64, ptr %a_shape, i32 %k
  %b_at = getelementptr i64, ptr %b_shape, i32 %k
  %a_size = load i64, ptr %a_at
  %b_size = load i64, ptr %b_at
  %same = icmp eq i64 %a_size, %b_size
  br i1 %same, label %equal, label %no
equal:
  %after = add i32 %k, 1
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}}

define internal i1 @is_array(ptr %object) alwaysinline {{
  %at = getelementptr i8, ptr %object, i64 {TYPE}
  %type = load ptr, ptr %at
  %is = icmp eq ptr %type, {NDARRAY}
  ret i1 %is
}}

; The number of an array's dtype, -1 if its bytes are in another order than this machine's.
define internal i32 @kind_of(ptr %array) alwaysinline {{
  %at = getelementptr i8, ptr %array, i64 {DTYPE}
  %dtype = load ptr, ptr %at
  %order_at = getelementptr i8, ptr %dtype, i64 {ORDER}
  %order = load i8, ptr %order_at
  %native = icmp eq i8 %order, {NATIVE}
  %named = icmp eq i8 %order, {NAMED}
  %single = icmp eq i8 %order, {SINGLE}
  %own = or i1 %native, %named
  %good = or i1 %own, %single
  %number_at = getelementptr i8, ptr %dtype, i64 {NUMBER}
  %number = load i32, ptr %number_at
  %kind = select i1 %good, i32 %number, i32 -1
  ret i32 %kind
}}

; Whether the keywords are those of a loop, in the same order. Values of a loop are of types that compare without any
; Python code: strings, bools, ints.
define internal i1 @same_keywords(ptr %entry, ptr %keywords, i64 %count) {{
start:
  %place = alloca i64
  %name = alloca ptr
  %value = alloca ptr
  store i64 0, ptr %place
  %own = getelementptr i64, ptr %entry, i64 {NAMES}
  br label %next
next:
  %k = phi i64 [ 0, %start ], [ %after, %equal ]
  %all = icmp eq i64 %k, %count
  br i1 %all, label %yes, label %look
look:
  %got = call i32 {PyDict_Next}(ptr %keywords, ptr %place, ptr %name, ptr %value)
  %twice = mul i64 %k, 2
  %name_at = getelementptr ptr, ptr %own, i64 %twice
  %value_at = getelementptr ptr, ptr %name_at, i64 1
  %given_name = load ptr, ptr %name
  %given = load ptr, ptr %value
  %own_name = load ptr, ptr %name_at
  %wanted = load ptr, ptr %value_at
  %named = icmp eq ptr %given_name, %own_name
  br i1 %named, label %values, label %no
values:
  %identical = icmp eq ptr %given, %wanted
  br i1 %identical, label %equal, label %types
types:
  %type_at = getelementptr i8, ptr %given, i64 {TYPE}
  %type = load ptr, ptr %type_at
  %wanted_at = getelementptr i8, ptr %wanted, i64 {TYPE}
  %wanted_type = load ptr, ptr %wanted_at
  %alike = icmp eq ptr %type, %wanted_type
  br i1 %alike, label %compare, label %no
compare:
  %answer = call i32 {PyObject_RichCompareBool}(ptr %given, ptr %wanted, i32 2)
  %same = icmp eq i32 %answer, 1
  br i1 %same, label %equal, label %no
equal:
  %after = add i64 %k, 1
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}}

; The addresses between which all elements of an array lie.
define internal {{i64, i64}} @bounds(ptr %a, i32 %rank, i64 %item) {{
start:
  %data_at = getelementptr i8, ptr %a, i64 {DATA}
  %data = load i64, ptr %data_at
  %end = add i64 %data, %item
  %shape_at = getelementptr i8, ptr %a, i64 {SHAPE}
  %shape = load ptr, ptr %shape_at
  %strides_at = getelementptr i8, ptr %a, i64 {STRIDES}
  %strides = load ptr, ptr %strides_at
  br label %next
next:
  %k = phi i32 [ 0, %start ], [ %after, %next ]
  %low = phi i64 [ %data, %start ], [ %lower, %next ]
  %high = phi i64 [ %end, %start ], [ %higher, %next ]
  %size_at = getelementptr i64, ptr %shape, i32 %k
  %size = load i64, ptr %size_at
  %stride_at = getelementptr i64, ptr %strides, i32 %k
  %stride = load i64, ptr %stride_at
  %steps = sub i64 %size, 1
  %way = mul i64 %steps, %stride
  %back = icmp slt i64 %way, 0
  %down = select i1 %back, i64 %way, i64 0
  %up = select i1 %back, i64 0, i64 %way
  %lower = add i64 %low, %down
  %higher = add i64 %high, %up
  %after = add i32 %k, 1
  %more = icmp slt i32 %after, %rank
  br i1 %more, label %next, label %done
done:
  %one = insertvalue {{i64, i64}} undef, i64 %lower, 0
  %both = insertvalue {{i64, i64}} %one, i64 %higher, 1
  ret {{i64, i64}} %both
}}

; A builtin function of three arguments: a tuple of operands, out, a dict of keywords. %self: a capsule of the table.
; The result; the owner of the loop if there are more elements than it takes; else None.
define ptr @short_way(ptr %self, ptr %arguments, i64 %number) {{
start:
  %arrays = alloca [{SLOTS} x ptr]
  %three = icmp eq i64 %number, 3
  br i1 %three, label %begin, label %miss
begin:
  %table = call ptr {PyCapsule_GetPointer}(ptr %self, ptr null)
  %operands = load ptr, ptr %arguments
  %out_at = getelementptr ptr, ptr %arguments, i64 1
  %out = load ptr, ptr %out_at
  %keywords_at = getelementptr ptr, ptr %arguments, i64 2
  %keywords = load ptr, ptr %keywords_at
  %loops = load i64, ptr %table
  %count = call i64 {PyTuple_Size}(ptr %operands)
  %least = icmp uge i64 %count, 1
  %most = icmp ule i64 %count, {MOST_OPERANDS}
  %fits = and i1 %least, %most
  br i1 %fits, label %first, label %miss
first:
  %a = call ptr {PyTuple_GetItem}(ptr %operands, i64 0)
  store ptr %a, ptr %arrays
  %a_is = call i1 @is_array(ptr %a)
  br i1 %a_is, label %measure, label %miss
measure:
  %kind = call i32 @kind_of(ptr %a)
  %rank_at = getelementptr i8, ptr %a, i64 {RANK}
  %rank = load i32, ptr %rank_at
  %shape_at = getelementptr i8, ptr %a, i64 {SHAPE}
  %shape = load ptr, ptr %shape_at
  %numbered = icmp sgt i32 %rank, 0
  br i1 %numbered, label %dimension, label %miss
dimension:
  %d = phi i32 [ 0, %measure ], [ %d_after, %dimension ]
  %so_far = phi i64 [ 1, %measure ], [ %size, %dimension ]
  %extent_at = getelementptr i64, ptr %shape, i32 %d
  %extent = load i64, ptr %extent_at
  %size = mul i64 %so_far, %extent
  %d_after = add i32 %d, 1
  %more = icmp slt i32 %d_after, %rank
  br i1 %more, label %dimension, label %others
others:
  %some = icmp sgt i64 %size, 0
  br i1 %some, label %next, label %miss
next:
  %k = phi i64 [ 1, %others ], [ %k_after, %alike ]
  %all = icmp eq i64 %k, %count
  br i1 %all, label %find, label %other
other:
  %b = call ptr {PyTuple_GetItem}(ptr %operands, i64 %k)
  %slot = getelementptr ptr, ptr %arrays, i64 %k
  store ptr %b, ptr %slot
  %b_is = call i1 @is_array(ptr %b)
  br i1 %b_is, label %typed, label %miss
typed:
  %b_kind = call i32 @kind_of(ptr %b)
  %b_typed = icmp eq i32 %b_kind, %kind
  br i1 %b_typed, label %shaped, label %miss
shaped:
  %b_shaped = call i1 @same_shape(ptr %a, ptr %b, i32 %rank)
  br i1 %b_shaped, label %alike, label %miss
alike:
  %k_after = add i64 %k, 1
  br label %next

find:
  %named = call i64 {PyDict_Size}(ptr %keywords)
  br label %entry
entry:
  %e = phi i64 [ 0, %find ], [ %e_after, %another ]
  %none_left = icmp eq i64 %e, %loops
  br i1 %none_left, label %miss, label %test
test:
  %word = mul i64 %e, {ENTRY}
  %word_on = add i64 %word, 1
  %own = getelementptr i64, ptr %table, i64 %word_on
  %own_count_at = getelementptr i64, ptr %own, i64 {OPERANDS}
  %own_count = load i64, ptr %own_count_at
  %own_kind_at = getelementptr i64, ptr %own, i64 {NUMBER_OF}
  %own_kind = load i32, ptr %own_kind_at
  %own_named_at = getelementptr i64, ptr %own, i64 {KEYWORDS}
  %own_named = load i64, ptr %own_named_at
  %one = icmp eq i64 %own_count, %count
  %two = icmp eq i32 %own_kind, %kind
  %same_number = icmp eq i64 %own_named, %named
  %one_two = and i1 %one, %two
  %one_to_three = and i1 %one_two, %same_number
  br i1 %one_to_three, label %words, label %another
words:
  %worded = call i1 @same_keywords(ptr %own, ptr %keywords, i64 %named)
  br i1 %worded, label %found, label %another
another:
  %e_after = add i64 %e, 1
  br label %entry

found:
  %limit_at = getelementptr i64, ptr %own, i64 {LIMIT}
  %limit = load i64, ptr %limit_at
  %owner_at = getelementptr i64, ptr %own, i64 {OWNER}
  %owner = load ptr, ptr %owner_at
  %few = icmp sle i64 %size, %limit
  br i1 %few, label %result, label %many
many:
  call void {Py_IncRef}(ptr %owner)
  ret ptr %owner
result:
  %no_out = icmp eq ptr %out, {NONE}
  br i1 %no_out, label %run, label %given
given:
  %out_is = call i1 @is_array(ptr %out)
  br i1 %out_is, label %out_typed, label %miss
out_typed:
  %out_kind = call i32 @kind_of(ptr %out)
  %result_at = getelementptr i64, ptr %own, i64 {RESULT}
  %result_kind = load i32, ptr %result_at
  %out_right = icmp eq i32 %out_kind, %result_kind
  br i1 %out_right, label %out_shaped, label %miss
out_shaped:
  %out_same = call i1 @same_shape(ptr %a, ptr %out, i32 %rank)
  br i1 %out_same, label %out_placed, label %miss
out_placed:
  %last = getelementptr ptr, ptr %arrays, i64 %count
  store ptr %out, ptr %last
  %checks_at = getelementptr i64, ptr %own, i64 {CHECKS}
  %checks = load i64, ptr %checks_at
  %careless = icmp eq i64 %checks, 0
  br i1 %careless, label %run, label %sizes
sizes:
  ; After a failure the operands are looked at again, so nothing may have been written over them.
  %item_at = getelementptr i64, ptr %own, i64 {ITEM}
  %item = load i64, ptr %item_at
  %out_item_at = getelementptr i64, ptr %own, i64 {RESULT_ITEM}
  %out_item = load i64, ptr %out_item_at
  %out_bounds = call {{i64, i64}} @bounds(ptr %out, i32 %rank, i64 %out_item)
  %out_low = extractvalue {{i64, i64}} %out_bounds, 0
  %out_high = extractvalue {{i64, i64}} %out_bounds, 1
  br label %overlap
overlap:
  %j = phi i64 [ 0, %sizes ], [ %j_after, %free ]
  %looked = icmp eq i64 %j, %count
  br i1 %looked, label %run, label %source
source:
  %source_at = getelementptr ptr, ptr %arrays, i64 %j
  %from = load ptr, ptr %source_at
  %from_bounds = call {{i64, i64}} @bounds(ptr %from, i32 %rank, i64 %item)
  %from_low = extractvalue {{i64, i64}} %from_bounds, 0
  %from_high = extractvalue {{i64, i64}} %from_bounds, 1
  %before = icmp ule i64 %out_high, %from_low
  %behind = icmp ule i64 %from_high, %out_low
  %is_free = or i1 %before, %behind
  br i1 %is_free, label %free, label %miss
free:
  %j_after = add i64 %j, 1
  br label %overlap

run:
  %given_too = phi i64 [ 0, %result ], [ 1, %out_placed ], [ 1, %overlap ]
  %total = add i64 %count, %given_too
  %loop_at = getelementptr i64, ptr %own, i64 {LOOP}
  %loop = load ptr, ptr %loop_at
  %failures_at = getelementptr i64, ptr %own, i64 {FAILURES}
  %failures = load ptr, ptr %failures_at
  ; Another thread may forget this loop meanwhile.
  call void {Py_IncRef}(ptr %owner)
  %answer = call ptr {PyObject_Vectorcall}(ptr %loop, ptr %arrays, i64 %total, ptr null)
  %failed = load atomic i64, ptr %failures acquire, align 8
  %raised = icmp eq ptr %answer, null
  br i1 %raised, label %error, label %judge
judge:
  call void {Py_DecRef}(ptr %owner)
  %never = icmp eq i64 %failed, 0
  br i1 %never, label %done, label %drop
done:
  ret ptr %answer
drop:
  call void {Py_DecRef}(ptr %answer)
  br label %miss
error:
  ; Whatever it is, the general way says it better; but an interruption is one.
  %ordinary = call i32 {PyErr_ExceptionMatches}(ptr {EXCEPTION})
  %clears = icmp ne i32 %ordinary, 0
  br i1 %clears, label %clear, label %interrupted
clear:
  call void {PyErr_Clear}()
  call void {Py_DecRef}(ptr %owner)
  br label %miss
interrupted:
  call void {Py_DecRef}(ptr %owner)
  ret ptr null

miss:
  call void {Py_IncRef}(ptr {NONE})
  ret ptr {NONE}
}}
"""

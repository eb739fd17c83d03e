"""The short way from a call to its loop, as text for the compiler, and where it finds what it reads.

It is in the terms of CPython's and NumPy's C interfaces. `short_way` fills in the addresses of their functions.
"""

from __future__ import annotations

# Calls of more take the general way.
MOST_OPERANDS = 31
MOST_KEYWORDS = 4
SLOTS = MOST_OPERANDS + 1

# Where things are: an object's type, and the head of an array.
TYPE, DATA, RANK, SHAPE, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
CONTIGUOUS = 1

# Words of the table of loops: how many there are, then each of them.
OPERANDS, DTYPE_OF, LIMIT, LOOP, FAILURES, OWNER, CHECKS, RESULT, ITEM, RESULT_ITEM, KEYWORDS, NAMES = range(12)
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

define internal ptr @dtype_of(ptr %array) alwaysinline {{
  %at = getelementptr i8, ptr %array, i64 {DTYPE}
  %dtype = load ptr, ptr %at
  ret ptr %dtype
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

; Whether two arrays of so many bytes are contiguous and share no memory.
define internal i1 @apart(ptr %a, i64 %a_bytes, ptr %b, i64 %b_bytes) {{
  %a_flags_at = getelementptr i8, ptr %a, i64 {FLAGS}
  %a_flags = load i32, ptr %a_flags_at
  %b_flags_at = getelementptr i8, ptr %b, i64 {FLAGS}
  %b_flags = load i32, ptr %b_flags_at
  %both = and i32 %a_flags, %b_flags
  %bit = and i32 %both, {CONTIGUOUS}
  %contiguous = icmp ne i32 %bit, 0
  %a_data_at = getelementptr i8, ptr %a, i64 {DATA}
  %a_data = load i64, ptr %a_data_at
  %b_data_at = getelementptr i8, ptr %b, i64 {DATA}
  %b_data = load i64, ptr %b_data_at
  %a_end = add i64 %a_data, %a_bytes
  %b_end = add i64 %b_data, %b_bytes
  %before = icmp ule i64 %a_end, %b_data
  %behind = icmp ule i64 %b_end, %a_data
  %either = or i1 %before, %behind
  %apart = and i1 %contiguous, %either
  ret i1 %apart
}}

; A builtin function of three arguments: a tuple of operands, out, a dict of keywords. %self: a capsule of the table.
define ptr @short_way(ptr %self, ptr %arguments, i64 %number) {{
start:
  %arrays = alloca [{SLOTS} x ptr]
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
  %dtype = call ptr @dtype_of(ptr %a)
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
  %b_dtype = call ptr @dtype_of(ptr %b)
  %b_typed = icmp eq ptr %b_dtype, %dtype
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
  %own_dtype_at = getelementptr i64, ptr %own, i64 {DTYPE_OF}
  %own_dtype = load ptr, ptr %own_dtype_at
  %own_named_at = getelementptr i64, ptr %own, i64 {KEYWORDS}
  %own_named = load i64, ptr %own_named_at
  %one = icmp eq i64 %own_count, %count
  %two = icmp eq ptr %own_dtype, %dtype
  %three = icmp eq i64 %own_named, %named
  %one_two = and i1 %one, %two
  %one_to_three = and i1 %one_two, %three
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
  %few = icmp sle i64 %size, %limit
  br i1 %few, label %result, label %miss
result:
  %no_out = icmp eq ptr %out, {NONE}
  br i1 %no_out, label %run, label %given
given:
  %out_is = call i1 @is_array(ptr %out)
  br i1 %out_is, label %out_typed, label %miss
out_typed:
  %out_dtype = call ptr @dtype_of(ptr %out)
  %result_at = getelementptr i64, ptr %own, i64 {RESULT}
  %result_dtype = load ptr, ptr %result_at
  %out_right = icmp eq ptr %out_dtype, %result_dtype
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
  %bytes = mul i64 %item, %size
  %out_item_at = getelementptr i64, ptr %own, i64 {RESULT_ITEM}
  %out_item = load i64, ptr %out_item_at
  %out_bytes = mul i64 %out_item, %size
  br label %overlap
overlap:
  %j = phi i64 [ 0, %sizes ], [ %j_after, %free ]
  %looked = icmp eq i64 %j, %count
  br i1 %looked, label %run, label %source
source:
  %source_at = getelementptr ptr, ptr %arrays, i64 %j
  %from = load ptr, ptr %source_at
  %is_free = call i1 @apart(ptr %from, i64 %bytes, ptr %out, i64 %out_bytes)
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
  %owner_at = getelementptr i64, ptr %own, i64 {OWNER}
  %owner = load ptr, ptr %owner_at
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

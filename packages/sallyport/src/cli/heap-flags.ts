import { setFlagsFromString } from 'node:v8';

// Imported first: flags count for code that is not optimized yet.

// During the first seconds of load V8 sees the objects of calls in flight survive, concludes that such objects live long,
// and from then on makes them old from the start, where only a full collection frees them, with all they point to.
// Measured at 16 callers: 8.2 us of collection per call with it, 2.6 without.
setFlagsFromString('--no-allocation-site-pretenuring');

// Patterns are made into bytecode before they are compiled. Going over the bytecode of the long ones that definitions are
// read with takes twice the time of all the rest: 99 ms against 31, in the way of the first list. A flag that changes how
// patterns are run and not only how they are written (--no-regexp-tier-up) ended one start in 150 with SIGSEGV.
setFlagsFromString('--no-regexp-peephole-optimization');

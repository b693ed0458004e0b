import { setFlagsFromString } from 'node:v8';

// Imported first: flags count for code that is not optimized yet.

// During the first seconds of load V8 sees the objects of calls in flight survive, concludes that such objects live long,
// and from then on makes them old from the start, where only a full collection frees them, with all they point to.
// Measured at 16 callers: 8.2 us of collection per call with it, 2.6 without.
setFlagsFromString('--no-allocation-site-pretenuring');

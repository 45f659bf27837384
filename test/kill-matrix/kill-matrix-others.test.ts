import { otherKinds } from './kinds.ts';
import { killAtEveryCall, useVirtualTime } from './matrix.ts';

useVirtualTime();
killAtEveryCall(otherKinds);

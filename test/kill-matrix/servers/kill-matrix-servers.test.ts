import { ofThisRun } from '../../run/mode.ts';
import { kindsOfServers } from '../kinds.ts';
import { killAtEveryCall, useVirtualTime } from '../matrix.ts';

useVirtualTime();
// A sixth of them by the seed in the ordinary run, which kills every kind on Berth's own machine.
killAtEveryCall(ofThisRun(kindsOfServers, 6));

import { kindsOfServers } from '../kinds.ts';
import { killAtEveryCall, useVirtualTime } from '../matrix.ts';

useVirtualTime();
killAtEveryCall(kindsOfServers);

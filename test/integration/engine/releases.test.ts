/** The engine's suite on a real engine: what it says of releases holds there, and so in memory. */
import { releasesSuite } from '../../engine-suite/releases.ts';
import { bedEngine } from './engine-fixture.ts';

releasesSuite(bedEngine());

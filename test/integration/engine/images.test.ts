/** The engine's suite on a real engine: what it says of images holds there, and so in memory. */
import { imagesSuite } from '../../engine-suite/images.ts';
import { bedEngine } from './engine-fixture.ts';

imagesSuite(bedEngine());

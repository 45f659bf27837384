import { nodeSamples } from './node.ts';
import { otherSamples } from './others.ts';
import type { Sample } from './sample.ts';
import { wildSamples } from './wild.ts';
import { workspaceSamples } from './workspaces.ts';

export const samples: readonly Sample[] = [
  ...nodeSamples,
  ...workspaceSamples,
  ...otherSamples,
  ...wildSamples,
];

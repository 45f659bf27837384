/** What `bin/up` does, in this order. */
import type { Step } from './context.ts';
import { dockerCliStep } from './steps/docker-cli.ts';
import { engineStep } from './steps/engine.ts';
import { exampleStep } from './steps/example.ts';
import { imagesStep } from './steps/images.ts';
import { portsStep } from './steps/ports.ts';
import { probeStep } from './steps/probe.ts';
import { proxyStep } from './steps/proxy.ts';
import { restoreStep } from './steps/restore.ts';
import { releaseStep } from './steps/release.ts';
import { startStep } from './steps/start.ts';
import { swarmStep } from './steps/swarm.ts';
import { toolsStep } from './steps/tools.ts';

export const upSteps: readonly Step[] = [
  toolsStep,
  restoreStep,
  engineStep,
  dockerCliStep,
  swarmStep,
  portsStep,
  probeStep,
  imagesStep,
  releaseStep,
  startStep,
  proxyStep,
  exampleStep,
];

/** What `bin/down` does, in this order. */
import type { Step } from './context.ts';
import { openPortsStep } from './steps/open-ports.ts';
import { recordedProcess, stopRecorded } from './starters/detached.ts';

/** The engine ends its containers first (each may take its grace period), so it gets longer than Berth. */
const engineLimitMs = 120_000;

export const berthStep: Step = {
  title: 'Berth',
  async run(context) {
    const running = await context.starter.running(context);
    await context.starter.stop(context, { stayDown: true });
    return running === undefined ? 'does not run' : `stopped (was process ${running.pid})`;
  },
};

export const engineStep: Step = {
  title: 'Container engine',
  async run({ layout, engine, signal, say }) {
    if (recordedProcess(layout.engineProcess) === undefined) {
      return (await engine.answers(3000))
        ? 'was not started by bin/up and keeps running, and so do the services on it'
        : 'does not run';
    }
    say('bin/up started it, so it is stopped, and with it every container');
    await stopRecorded(layout.engineProcess, { limitMs: engineLimitMs, signal, say, name: 'The engine' });
    return 'stopped; its services start again with it';
  },
};

export const downSteps: readonly Step[] = [berthStep, openPortsStep, engineStep];

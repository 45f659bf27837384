/**
 * How Node.js holds its memory, for Berth itself and its agent; memory counts more than the last tenth of
 * speed (ADR 43).
 */

/** What it is started with. The young generation stays small, which neither outgrows. */
export const nodeFlags = ['--max-semi-space-size=1'] as const;

/**
 * Set by `v8.setFlagsFromString` once everything is loaded: given at the start they would make V8 refuse the
 * compiled form of Node's own modules, which costs a start 50 ms and more. Maglev, V8's middle compiler, is
 * left out: its background threads keep what each compilation took; what runs often is compiled by TurboFan
 * all the same. The heap may grow to twice what lives in it before all of it is collected, not to several
 * times as much.
 */
export const flagsOnceLoaded = ['--no-maglev', '--heap-growing-percent=100'] as const;

/** What makes V8 give back memory whatever is being allocated, and what ends that again. */
export const reducingFlags = { on: '--optimize-for-size', off: '--no-optimize-for-size' } as const;

/** What undoes them: how V8 stood while Berth was loaded. */
export const flagsOfTheLoad = ['--maglev', '--heap-growing-percent=0'] as const;

/** The agent works seldom: what compilers keep of it would cost 14 MB and save little. */
export const agentFlags = [...nodeFlags, '--no-maglev', '--lite-mode'] as const;

/**
 * What Node.js is started with, for Berth itself; memory counts more than the last tenth of
 * speed. The young generation stays small, which neither outgrows. Maglev, V8's middle compiler, is left
 * out: its background threads keep what each compilation took, 60 MB under load (ADR 43); what runs often
 * is compiled by TurboFan all the same.
 */
export const nodeFlags = ['--max-semi-space-size=1', '--no-maglev'] as const;

/** The agent works seldom: what compilers keep of it would cost 14 MB and save little (ADR 43). */
export const agentFlags = [...nodeFlags, '--lite-mode'] as const;

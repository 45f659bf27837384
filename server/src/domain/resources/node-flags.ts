/**
 * What Node.js is started with, for Berth itself and its agent; memory counts more than the last tenth of
 * speed. The young generation stays small, which neither outgrows. Maglev, V8's middle compiler, is left
 * out: its background threads keep what each compilation took, 60 MB under load (ADR 43); what runs often
 * is compiled by TurboFan all the same.
 */
export const nodeFlags = ['--max-semi-space-size=1', '--no-maglev'] as const;

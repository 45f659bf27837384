/** `berth mcp`: the interface as tools for assistants. */
import { Writable } from 'node:stream';
import type { Word } from './parts/word.ts';

export const mcpWord: Word = {
  name: 'mcp',
  usage: '',
  summary: 'serves the interface to assistants (Model Context Protocol)',
  description:
    'Speaks over standard input and output; the assistant starts it. It reads what the key may read; with ' +
    '--write it changes what the key may change. Destructive calls are confirmed by the person through the ' +
    'assistant, and refused where it cannot ask. Give it a key of its own with no more rights than it needs.',
  options: { write: { description: 'changes, too' } },
  most: 0,
  calls: [],
  async run(context) {
    const { terminal } = context;
    const { serveAssistant } = await import('../mcp/serve.ts');
    const { connection } = await context.berth();
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        terminal.out(String(chunk));
        done();
      },
    });
    await serveAssistant({
      connection,
      mayWrite: context.is('write'),
      stdin: terminal.stdin,
      stdout,
      signal: terminal.signal,
    });
  },
};

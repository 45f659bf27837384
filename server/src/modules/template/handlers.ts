import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { templateContract } from './contract.ts';
import type { Templates } from './template.ts';

export function templateHandlers(templates: Templates): Handlers<typeof templateContract, CallContext> {
  return {
    all: async (_call, input) => paginate([...(await templates.all())], input, ({ name }) => name),
    one: (_call, { name }) => templates.one(name),
  };
}

import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { templateContract } from './contract.ts';
import { createFromTemplate, type FromTemplateDeps } from './from-template.ts';
import type { Templates } from './template.ts';

export function templateHandlers(
  templates: Templates,
  deps: FromTemplateDeps,
): Handlers<typeof templateContract, CallContext> {
  return {
    all: async (_call, input) => paginate([...(await templates.all())], input, ({ name }) => name),
    one: (_call, { name }) => templates.one(name),
    create: async (context, input) =>
      createFromTemplate(deps, context, await templates.one(input.template), input),
  };
}

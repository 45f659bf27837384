import type { z } from 'zod';
import { badField } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { UpdateDeps } from './apply.ts';
import type { templateContract } from './contract.ts';
import { createFromTemplate, type FromTemplateDeps } from './from-template.ts';
import type { newFromTemplate, Template } from './record.ts';
import type { Templates } from './template.ts';

export function templateHandlers(
  templates: Templates,
  deps: FromTemplateDeps & Omit<UpdateDeps, 'templates'>,
): Handlers<typeof templateContract, CallContext> {
  const updating = { ...deps, templates };
  return {
    all: async (_call, input) => paginate([...(await templates.all())], input, ({ name }) => name),
    one: (_call, { name }) => templates.one(name),
    create: async (context, input) =>
      createFromTemplate(deps, context, await chosen(templates, input), input),
    async updates(context, input) {
      const { updatesOf } = await import('./apply.ts');
      return paginate(await updatesOf(updating, context), input, ({ composeId }) => composeId);
    },
    async changes(context, { composeId }) {
      const { templateChangesOf } = await import('./apply.ts');
      return templateChangesOf(updating, context, composeId);
    },
    async apply(context, input) {
      const { applyNewerTemplate } = await import('./apply.ts');
      return applyNewerTemplate(updating, context, input);
    },
  };
}

async function chosen(
  templates: Templates,
  { template, definition }: Pick<z.infer<typeof newFromTemplate>, 'template' | 'definition'>,
): Promise<Template> {
  if (template !== undefined && definition !== undefined)
    throw badField('definition', 'excludes template: give the one or the other');
  if (definition !== undefined) {
    const { templateOf } = await import('./format.ts');
    return templateOf(definition);
  }
  if (template === undefined)
    throw badField('template', 'is required, unless definition has a whole template');
  return templates.one(template);
}

import type { z } from 'zod';
import { badField } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { UpdateDeps } from './apply.ts';
import type { templateContract } from './contract.ts';
import { createFromTemplate, type FromTemplateDeps } from './from-template.ts';
import type { ListedTemplate, newFromTemplate, Template } from './record.ts';
import type { KnownTemplates } from './known-templates.ts';

export function templateHandlers(
  templates: KnownTemplates,
  deps: FromTemplateDeps & Omit<UpdateDeps, 'templates'>,
): Handlers<typeof templateContract, CallContext> {
  const updating = { ...deps, templates };
  return {
    all: async ({ actor }, input) => paginate(await templates.all(actor.organizationId), input, keyOf),
    one: ({ actor }, input) => templates.one(actor.organizationId, input),
    create: async (context, input) =>
      createFromTemplate(deps, context, await chosen(templates, context, input), input),
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

const keyOf = ({ name, catalogue }: ListedTemplate): string =>
  catalogue === null ? name : `${catalogue.templateCatalogueId} ${name}`;

async function chosen(
  templates: KnownTemplates,
  { actor }: CallContext,
  { template, templateCatalogueId, definition }: z.infer<typeof newFromTemplate>,
): Promise<Template> {
  if (template !== undefined && definition !== undefined)
    throw badField('definition', 'excludes template: give the one or the other');
  if (definition !== undefined) {
    const { templateOf } = await import('./format.ts');
    return templateOf(definition);
  }
  if (template === undefined)
    throw badField('template', 'is required, unless definition has a whole template');
  return templates.one(actor.organizationId, { name: template, templateCatalogueId });
}

/** The base domain of a project: the record that it needs, for the machines that its services stand on. */
import type { ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import type { Answer } from '../live/api.ts';
import { BaseDomainRecord } from '../settings/base-domain-record.tsx';
import { texts } from './texts.ts';

export function ProjectBaseDomain({
  project,
  onDone,
}: {
  project: Answer<'project.one'>;
  onDone: () => void;
}): ReactElement {
  const { projectId } = project;
  return (
    <Form
      of="project.update"
      show={['baseDomain']}
      change={{
        baseDomain: {
          label: 'Base domain of services',
          help: texts.baseDomain,
          example: 'shop.example.com',
          below: ({ baseDomain }) =>
            typeof baseDomain === 'string' && baseDomain !== '' ? (
              <BaseDomainRecord base={baseDomain} of={{ projectId }} />
            ) : null,
        },
      }}
      fixed={{ projectId }}
      stored={{ ...project }}
      verb="Save"
      onDone={onDone}
      onCancel={onDone}
    />
  );
}

/** Where data is: connection, volumes, backups and their restores, the move to another version. */
import type { ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import { Form } from '../form/form.tsx';
import { isDatabase } from '../live/services.ts';
import { Value } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import { named, procedureOf, type Service } from '../service/service.ts';
import { Backups } from '../backup/backups.tsx';
import { VolumeBackups } from '../backup/volume-backups.tsx';
import { Versions } from './versions.tsx';

export function DataTab({ service }: { service: Service }): ReactElement {
  const { kind, id, database } = service;
  return (
    <>
      {database && isDatabase(kind) && (
        <>
          <Panel title="Connection" isPadded>
            <dl className="facts">
              <dt>Within the environment</dt>
              <dd>
                <Value what="internal connection" hidesPassword>
                  {database.connection.internal}
                </Value>
              </dd>
              <dt>As a variable of another service</dt>
              <dd>
                <Value what="reference">{`\${{${service.name}.URL}}`}</Value>
              </dd>
              <dt>From outside</dt>
              <dd>
                {database.connection.external ? (
                  <Value what="external connection" hidesPassword>
                    {database.connection.external}
                  </Value>
                ) : (
                  <span className="text-faint">closed</span>
                )}
              </dd>
            </dl>
            <div className="mt-4 max-w-[360px]">
              <Form
                of={procedureOf(kind, 'saveExternalPort') as 'postgres.saveExternalPort'}
                show={['externalPort']}
                change={{
                  externalPort: {
                    label: 'Port of the server',
                    help: 'Empty closes it. In effect at once: its connections are closed.',
                  },
                }}
                fixed={named(kind, id) as never}
                stored={{ ...database }}
                verb="Save port"
              />
            </div>
          </Panel>
          {kind === 'redis' ? (
            <VolumeBackups service={service} />
          ) : (
            <Backups databaseId={id} kind={kind} database={database} />
          )}
          <Versions service={service} kind={kind} database={database} />
        </>
      )}
      {!isDatabase(kind) && (
        <>
          <Mounts service={service} />
          <VolumeBackups service={service} />
        </>
      )}
    </>
  );
}

const aboutMounts =
  'What a service writes outside a volume is lost with its task. ' +
  'A file is text that Berth puts into the container.';

function Mounts({ service: { kind, id } }: { service: Service }): ReactElement {
  const isCompose = kind === 'compose';
  return (
    <Collection
      title="Volumes, binds and files"
      noun="mount"
      about={aboutMounts}
      id="mountId"
      list={isCompose ? 'mount.byComposeId' : 'mount.byApplicationId'}
      input={named(kind, id)}
      create="mount.create"
      update="mount.update"
      remove="mount.remove"
      asks="beginEmpty"
      fixed={{ ...named(kind, id), serviceType: kind }}
      show={['type', 'volumeName', 'hostPath', 'content', 'isSecret', 'mountPath']}
      change={{
        volumeName: { when: ({ type }) => type === 'volume' },
        hostPath: { label: 'Path on the server', when: ({ type }) => type === 'bind' },
        content: { when: ({ type }) => type === 'file' },
        isSecret: { label: 'Never shown again', when: ({ type }) => type === 'file' },
        mountPath: { label: 'Path in the container', example: '/data' },
      }}
      name={({ mountPath }) => String(mountPath)}
      detail={({ type, volumeName, hostPath, filePath }) =>
        `${String(type)} ${String(volumeName ?? hostPath ?? filePath ?? '')}`
      }
      removal="The service no longer sees it after its next deploy. A volume and its data stay on the server."
    />
  );
}

/** Hosts and paths that lead to a service, each with the four steps to its certificate. */
import { useState, type ReactElement } from 'react';
import type { FieldChange } from '../form/form-field.tsx';
import { Form } from '../form/form.tsx';
import { useAsked } from '../frame/asked.ts';
import { ask, useAsk, useDo } from '../live/api.ts';
import { urlOf, type Domain } from './domain.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { named, type Service } from '../service/service.ts';
import { CertificateSteps } from './certificate-steps.tsx';
import { CustomerNames } from './customer-names.tsx';
import { Requests } from './requests.tsx';
import { Verdict } from './verdict.tsx';
import { SetRecords } from './set-records.tsx';
import { texts } from './texts.ts';
import { WildcardProvider } from './wildcard-provider.tsx';

export function DomainsTab({ service }: { service: Service }): ReactElement {
  const isCompose = service.kind === 'compose';
  const own = useAsk('domain.byApplicationId', { applicationId: service.id }, { enabled: !isCompose });
  const ofCompose = useAsk('domain.byComposeId', { composeId: service.id }, { enabled: isCompose });
  const { data, error } = isCompose ? ofCompose : own;
  const [over, setOver] = useState<{ what: 'add' | 'edit' | 'remove'; domain?: Domain } | undefined>();
  const [asked, setAsked] = useAsked(['add'] as const);
  const close = (): void => (setOver(undefined), setAsked(undefined));
  const add = (
    <>
      <Button icon="plus" look="primary" onClick={() => setOver({ what: 'add' })}>
        Add domain
      </Button>
      {!isCompose && <GenerateDomain service={service} />}
    </>
  );
  return (
    <>
      <ReadFault error={error} />
      {!data && !error && (
        <Panel>
          <SkeletonRows rows={3} />
        </Panel>
      )}
      {data?.length === 0 && (
        <Panel>
          <Empty icon="globe" title="No domain yet" action={add}>
            {texts.empty}
          </Empty>
        </Panel>
      )}
      {data && data.length > 0 && <div className="mb-3 flex flex-wrap gap-2">{add}</div>}
      {data
        ?.filter(({ onDemandOf }) => !onDemandOf)
        .map((domain) => (
          <DomainCard
            key={domain.domainId}
            domain={domain}
            names={data.filter(({ onDemandOf }) => onDemandOf === domain.domainId)}
            onOver={(what) => setOver({ what, domain })}
          />
        ))}
      {(over?.what === 'add' || asked === 'add') && (
        <Dialog title="Add domain" onClose={close}>
          <DomainForm service={service} onClose={close} />
        </Dialog>
      )}
      {over?.what === 'edit' && over.domain && (
        <Dialog title={over.domain.host} onClose={close}>
          <DomainForm service={service} domain={over.domain} onClose={close} />
        </Dialog>
      )}
      {over?.what === 'remove' && over.domain && <RemoveDomain domain={over.domain} onClose={close} />}
    </>
  );
}

function RemoveDomain({ domain, onClose }: { domain: Domain; onClose: () => void }): ReactElement {
  const remove = useDo('domain.delete');
  return (
    <Confirm
      title={texts.removeTitle(domain.host)}
      verb="Remove"
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ domainId: domain.domainId })}
    >
      <p>{texts.remove}</p>
    </Confirm>
  );
}

function DomainCard({
  domain,
  names,
  onOver,
}: {
  domain: Domain;
  names: readonly Domain[];
  onOver: (what: 'edit' | 'remove') => void;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const address = urlOf(domain);
  return (
    <Panel
      title={
        <span className="flex min-w-0 items-center gap-1">
          <a href={address} target="_blank" rel="noreferrer" className="cut font-medium">
            {address}
          </a>
          <Copy text={address} what="address" />
        </span>
      }
      actions={
        <>
          {domain.serviceName && (
            <span className="cut text-12 text-faint max-sm:hidden">{domain.serviceName}</span>
          )}
          <span className="text-12 whitespace-nowrap text-faint max-sm:hidden">port {domain.port}</span>
          <Button small look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Requests
          </Button>
          <Menu
            label={`More for ${domain.host}`}
            className="button quiet small icon"
            items={[
              { label: 'Change', icon: 'settings', onPick: () => onOver('edit') },
              { label: 'Remove', icon: 'close', isDanger: true, onPick: () => onOver('remove') },
            ]}
          />
        </>
      }
    >
      {domain.https ? <CertificateSteps domain={domain} /> : <PlainHttp domain={domain} />}
      <CustomerNames domain={domain} names={names} />
      {isOpen && <Requests domainId={domain.domainId} />}
    </Panel>
  );
}

function PlainHttp({ domain }: { domain: Domain }): ReactElement {
  const check = useDo('domain.validateDomain');
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 py-2.5 text-13">
      <span className="text-faint">Plain http</span>
      {check.data && <Verdict of={check.data} miss="failed" />}
      <Fault error={check.error} />
      <Button small isBusy={check.isPending} onClick={() => check.mutate({ domain: domain.host })}>
        Check
      </Button>
      {check.data?.isValid === false && (
        <SetRecords of={{ domainId: domain.domainId }} onSet={() => check.mutate({ domain: domain.host })} />
      )}
    </div>
  );
}

/** What the form of a domain has that is there already. */
const rules = [
  'internalPath',
  'stripPath',
  'hstsMaxAge',
  'maxBodyBytes',
  'maintenance',
  'maintenancePage',
  'errorPages',
  'responseHeaders',
  'compression',
  'allowedAddresses',
  'deniedAddresses',
  'trustedProxies',
  'allowOnDemand',
] as const;

/** Names that no authority issues a certificate for. */
const isOwnMachine = (host: unknown): boolean =>
  /(^|\.)localhost\.?$/i.test(typeof host === 'string' ? host.trim() : '');

const isWildcard = (host: unknown): boolean => typeof host === 'string' && host.trim().startsWith('*.');

const changes: Readonly<Record<string, FieldChange>> = {
  host: { label: 'Host', example: 'shop.example.com' },
  path: { label: 'Path', example: '/' },
  port: { label: 'Port of the service', example: '3000' },
  https: { label: 'https', start: ({ host }) => !isOwnMachine(host) },
  certificateType: {
    label: 'Certificate',
    start: () => 'acme',
    when: ({ https }) => https === true,
    help: 'Issued automatically as soon as the name points here; for a wildcard by your DNS provider.',
    below: ({ host, certificateType }) =>
      certificateType === 'acme' && isWildcard(host) && <WildcardProvider />,
    options: [
      { value: 'acme', label: 'Issued automatically' },
      { value: 'custom', label: 'From an authority of your own' },
      { value: 'none', label: 'An uploaded one' },
    ],
  },
  customCertResolver: { when: ({ certificateType }) => certificateType === 'custom' },
  serviceName: { label: 'Service of the compose file' },
  maintenance: {
    label: 'In maintenance',
    help: 'Answers 503 with the page below; nothing reaches the service.',
  },
  maintenancePage: { label: 'Maintenance page (HTML)' },
  errorPages: { label: 'Pages in place of errors', example: '{"404": "<h1>Not here</h1>"}' },
  responseHeaders: { label: 'Headers of answers', example: '{"X-Frame-Options": "DENY"}' },
  compression: { label: 'Compress texts' },
  allowedAddresses: { label: 'Only these addresses may ask' },
  deniedAddresses: { label: 'Addresses that may not ask' },
  trustedProxies: { label: 'Trusted proxies in front', example: 'cloudflare' },
  allowOnDemand: {
    label: "Path that allows customers' names",
    example: '/berth/allow',
    help:
      'Asked with ?domain= when somebody opens a name that leads here; 200 to 299 is a yes. Needs a ' +
      'certificate that is issued automatically.',
  },
};

function DomainForm({
  service,
  domain,
  onClose,
}: {
  service: Service;
  domain?: Domain;
  onClose: () => void;
}): ReactElement {
  const isCompose = service.kind === 'compose';
  const fields = [
    'host',
    ...(isCompose ? ['serviceName'] : []),
    'port',
    'path',
    'https',
    'certificateType',
    'customCertResolver',
  ] as const;
  const done = { onDone: onClose, onCancel: onClose };
  if (domain)
    return (
      <Form
        of="domain.update"
        show={[...fields, ...rules] as never}
        change={changes as never}
        fixed={{ domainId: domain.domainId, host: domain.host }}
        stored={{ ...domain }}
        verb="Save"
        {...done}
      />
    );
  return (
    <Form
      of="domain.create"
      show={fields as never}
      change={changes as never}
      fixed={{ ...named(service.kind, service.id), ...(isCompose ? { domainType: 'compose' } : {}) } as never}
      verb="Add domain"
      {...done}
    />
  );
}

/** A name that leads to the server without any DNS of one's own. */
function GenerateDomain({ service }: { service: Service }): ReactElement {
  const create = useDo('domain.create');
  const [error, setError] = useState<unknown>(null);
  return (
    <>
      <Button
        isBusy={create.isPending}
        onClick={() =>
          void ask('domain.generateDomain', { appName: service.appName, serverId: service.serverId })
            .then((host) => create.mutateAsync({ host, applicationId: service.id }))
            .catch(setError)
        }
      >
        Generate a domain
      </Button>
      <Fault error={error} />
    </>
  );
}

/** Accounts at DNS providers, each kind with its own fields, and a trial for each. */
import type { FieldChange } from '../form/form-field.tsx';
import { useState, type ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import { Form } from '../form/form.tsx';
import { toast } from '../frame/toasts.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Ago } from '../parts/time.tsx';

export const dnsKindLabels: Record<string, string> = {
  cloudflare: 'Cloudflare',
  hetzner: 'Hetzner',
  digitalocean: 'DigitalOcean',
  route53: 'Amazon Route 53',
  ovh: 'OVHcloud',
  desec: 'deSEC',
  gandi: 'Gandi',
  porkbun: 'Porkbun',
  powerdns: 'PowerDNS',
  rfc2136: 'RFC 2136 (bind9, Knot)',
  lego: 'Others, by lego',
};

const change: Readonly<Record<string, FieldChange>> = {
  kind: {
    label: 'Provider',
    options: Object.entries(dnsKindLabels).map(([value, label]) => ({ value, label })),
  },
  ...Object.fromEntries(
    Object.keys(dnsKindLabels).map((name): [string, FieldChange] => [
      name,
      { as: 'parts', when: ({ kind }) => kind === name },
    ]),
  ),
  'rfc2136.server': { example: 'ns1.example.com' },
  'powerdns.apiUrl': { example: 'https://ns1.example.com:8081' },
  'rfc2136.keyName': { example: 'berth' },
  'lego.provider': { example: 'infomaniak' },
  'lego.environment': { as: 'area', example: 'INFOMANIAK_ACCESS_TOKEN=…' },
};

export const DnsProviders = (): ReactElement => (
  <Collection
    title="DNS providers"
    noun="provider"
    about={
      'With the account of your DNS provider Berth proves to authorities that names are yours, which ' +
      'wildcard certificates need. It sets and removes TXT records of _acme-challenge names, no others.'
    }
    id="dnsProviderId"
    list="dnsProvider.all"
    create="dnsProvider.create"
    update="dnsProvider.update"
    remove="dnsProvider.remove"
    change={change}
    name={({ name }) => String(name)}
    detail={(row) => <Detail row={row} />}
    actions={({ dnsProviderId }) => <Trial dnsProviderId={String(dnsProviderId)} />}
    removal="Berth forgets its credential. Certificates that are renewed by it have to go first."
  />
);

function Detail({ row }: { row: Row }): ReactElement {
  const { kind, rights, lastError, lastUsedAt } = row;
  return (
    <>
      <span title={`Least rights: ${String(rights)}`}>{dnsKindLabels[String(kind)]}</span>
      {typeof lastUsedAt === 'string' && (
        <>
          , used <Ago at={lastUsedAt} />
        </>
      )}
      {typeof lastError === 'string' && (
        <span className="text-down" title={lastError}>
          ; {lastError}
        </span>
      )}
    </>
  );
}

/** Asks for a name of the zone, sets a record there and removes it. */
function Trial({ dnsProviderId }: { dnsProviderId: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        Try it
      </Button>
      {isOpen && (
        <Dialog title="Try the DNS provider" onClose={() => setOpen(false)}>
          <Form
            of="dnsProvider.test"
            fixed={{ dnsProviderId }}
            change={{ hostName: { label: 'Host name', example: 'example.com' } }}
            verb="Set and remove a record"
            onCancel={() => setOpen(false)}
            onDone={({ zone }) => {
              setOpen(false);
              toast(`A TXT record was set in the zone ${zone} and removed again.`);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

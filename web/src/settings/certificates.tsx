/** Certificates: uploaded, asked for by DNS, and the authorities that domains name. */
import type { ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import { toast } from '../frame/toasts.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Ago } from '../parts/time.tsx';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function Certificates(): ReactElement {
  const { data: servers = [] } = useAsk('server.all', {}, { retry: false });
  return (
    <>
      <CertificateOrders />
      <Collection
        title="Certificates"
        noun="certificate"
        about="Upload one that you bring yourself. Those of domains are issued automatically."
        id="certificateId"
        list="certificate.all"
        create="certificate.create"
        remove="certificate.remove"
        change={{
          certificateData: {
            label: 'Certificate',
            example: '-----BEGIN CERTIFICATE-----',
            help: 'As text (PEM): the file fullchain.pem, or the certificate alone',
          },
          privateKey: {
            label: 'Private key',
            example: '-----BEGIN PRIVATE KEY-----',
            help: 'As text (PEM), without a passphrase; never shown again',
          },
          certificateChain: {
            label: 'Intermediate certificates',
            help: 'If the certificate above stands alone',
            isFolded: true,
          },
          serverId: {
            label: 'Server',
            help: '',
            empty: 'The machine of Berth',
            options: servers.map(({ serverId, name }) => ({ value: serverId, label: name })),
            isFolded: true,
          },
        }}
        name={({ name }) => text(name)}
        detail={({ commonName, subjectAlternativeNames, expirationDate }) => (
          <>
            {text(commonName) || namesOf(subjectAlternativeNames)}, ends{' '}
            <Ago at={text(expirationDate) || null} />
          </>
        )}
        removal="The hosts that it covers will have no certificate. If Berth renews it, the renewal ends."
      />
      <Collection
        title="Authorities"
        noun="authority"
        about="An ACME authority of your choice, for the domains that name it."
        id="certificateResolverId"
        list="certificateResolver.all"
        create="certificateResolver.create"
        update="certificateResolver.update"
        remove="certificateResolver.remove"
        change={{
          name: { help: 'Shown where a domain chooses its authority' },
          directoryUrl: {
            label: 'Address of its directory',
            example: 'https://acme.example.com/directory',
            help: 'The ACME directory, from the documentation of the authority',
          },
          email: { label: 'Contact', help: 'The authority writes here before a certificate expires.' },
          eab: {
            label: 'External account binding',
            help: 'If the authority issued a key id and an HMAC key',
            isFolded: true,
          },
          rootCertificates: {
            label: 'Root certificates',
            help: 'PEM, for an authority behind a private root. Empty: the public ones',
            isFolded: true,
          },
        }}
        name={({ name }) => text(name)}
        detail={({ directoryUrl }) => text(directoryUrl)}
        removal="Domains that name it are no longer renewed."
      />
    </>
  );
}

const namesOf = (names: unknown): string => (Array.isArray(names) ? names.map(String).join(', ') : '');

/** Wildcards and apexes, which an authority checks by the DNS. */
function CertificateOrders(): ReactElement {
  const { data: providers = [] } = useAsk('dnsProvider.all', {});
  const { data: authorities = [] } = useAsk('certificateResolver.all', {});
  const { data: servers = [] } = useAsk('server.all', {});
  return (
    <Collection
      title="Wildcard certificates"
      noun="wildcard certificate"
      about={
        providers.length === 0
          ? 'One certificate for *.apps.example.com. Add a DNS provider first, under DNS providers.'
          : 'One certificate for *.apps.example.com, asked for by your DNS provider and renewed by Berth.'
      }
      id="certificateOrderId"
      list="certificateOrder.all"
      create={providers.length === 0 ? undefined : 'certificateOrder.create'}
      update="certificateOrder.update"
      remove="certificateOrder.remove"
      change={{
        names: { label: 'Host names', example: '*.apps.example.com', help: 'One in each line' },
        dnsProviderId: {
          label: 'DNS provider',
          options: providers.map(({ dnsProviderId, name }) => ({ value: dnsProviderId, label: name })),
        },
        certificateResolverId: {
          label: 'Authority',
          help: 'Empty: the one of the settings, usually Let’s Encrypt',
          options: authorities.map(({ certificateResolverId, name }) => ({
            value: certificateResolverId,
            label: name,
          })),
        },
        serverId: {
          label: 'Server',
          help: 'Empty: the machine that Berth runs on',
          options: servers.map(({ serverId, name }) => ({ value: serverId, label: name })),
        },
      }}
      name={({ name }) => text(name)}
      detail={(row) => <OrderDetail row={row} />}
      actions={({ certificateOrderId, nextTryAt }) =>
        nextTryAt !== null && <Retry certificateOrderId={text(certificateOrderId)} />
      }
      removal="It is not renewed any more. The certificate that is there stays until it ends."
    />
  );
}

function OrderDetail({ row }: { row: Row }): ReactElement {
  const { names, status, error, expirationDate, nextTryAt } = row;
  return (
    <>
      {namesOf(names)}
      {typeof expirationDate === 'string' && (
        <>
          , ends <Ago at={expirationDate} />
        </>
      )}
      {nextTryAt === null && ', being asked for'}
      {status === 'waiting' && nextTryAt !== null && ', waiting'}
      {status === 'issued' && typeof nextTryAt === 'string' && (
        <>
          , renewed <Ago at={nextTryAt} />
        </>
      )}
      {status === 'failed' && typeof error === 'string' && (
        <span className="text-down" title={error}>
          ; {error}
        </span>
      )}
    </>
  );
}

function Retry({ certificateOrderId }: { certificateOrderId: string }): ReactElement {
  const retry = useDo('certificateOrder.retry');
  return (
    <Button
      small
      look="quiet"
      isBusy={retry.isPending}
      onClick={() =>
        retry.mutate({ certificateOrderId }, { onSuccess: () => toast('The authority is asked now.') })
      }
    >
      Ask now
    </Button>
  );
}

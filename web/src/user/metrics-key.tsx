/** A key that reads the metrics and nothing else, with what Prometheus needs to use it. */
import { useState, type ReactElement } from 'react';
import { useSession } from '../live/account.ts';
import { useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault, Notice } from '../parts/notices.tsx';

const scrape = (key: string): string => `- job_name: berth
  scheme: ${location.protocol.replace(':', '')}
  authorization: { credentials: "${key}" }
  static_configs: [{ targets: ["${location.host}"] }]
`;

export function MetricsKey(): ReactElement {
  const { data: session } = useSession();
  const make = useDo('user.createApiKey');
  const [isOpen, setOpen] = useState(false);
  const text = make.data ? scrape(make.data.key) : undefined;
  const close = (): void => {
    setOpen(false);
    make.reset();
  };
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        Key for Prometheus
      </Button>
      {isOpen && (
        <Dialog title="Key for Prometheus" look={text ? 'wide' : ''} onClose={close}>
          <div className="grid gap-4 text-13">
            {text ? (
              <>
                <Notice>Copy it now: it is never shown again.</Notice>
                <div className="flex items-start gap-1 rounded-md bg-sunken p-3">
                  <pre className="min-w-0 flex-1 overflow-x-auto text-12" tabIndex={0}>
                    {text}
                  </pre>
                  <Copy text={text} what="configuration" />
                </div>
              </>
            ) : (
              <p className="text-muted">
                It reads <code>/metrics</code> and nothing else. For Owners and Admins of the installation’s
                organization: services of every organization are in it.
              </p>
            )}
            <Fault error={make.error} />
            <div className="flex justify-end gap-2">
              <Button onClick={close}>{text ? 'Done' : 'Cancel'}</Button>
              {!text && (
                <Button
                  look="primary"
                  isBusy={make.isPending}
                  onClick={() =>
                    make.mutate({
                      name: 'prometheus',
                      metadata: { organizationId: session?.session.activeOrganizationId ?? '' },
                      permissions: { metrics: ['read'] },
                      rateLimitEnabled: false,
                    })
                  }
                >
                  Make key
                </Button>
              )}
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}

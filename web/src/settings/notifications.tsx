/** Who is told what happens: channels of six kinds, each with its own fields, and a test message for each. */
import type { ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import type { FieldChange } from '../form/form.tsx';
import { Ago } from '../parts/time.tsx';

const kinds: Record<string, string> = {
  webhook: 'Webhook',
  email: 'Mail',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  ntfy: 'ntfy',
};

const placeholders: Record<string, string> = {
  'webhook.url': 'https://example.com/berth',
  'email.host': 'smtp.example.com',
  'email.port': '587',
  'email.from': 'berth@example.com',
  'email.to': 'ops@example.com',
  'slack.url': 'https://hooks.slack.com/services/…',
  'discord.url': 'https://discord.com/api/webhooks/…',
  'telegram.botToken': '110201543:AAHdqTc…',
  'telegram.chatId': '-1001234567890',
  'ntfy.url': 'https://ntfy.sh',
};

const change: Readonly<Record<string, FieldChange>> = {
  channel: {
    label: 'Kind',
    options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
  },
  events: { label: 'Told of' },
  enabled: { when: ({ notificationId }) => notificationId !== undefined },
  ...Object.fromEntries(
    Object.keys(kinds).map((kind): [string, FieldChange] => [
      kind,
      { as: 'parts', when: ({ channel }) => channel === kind },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(placeholders).map(([field, placeholder]): [string, FieldChange] => [
      field,
      { placeholder },
    ]),
  ),
};

const topic = '{"topic":"ops"}';
const add = `berth api notification.create --name ops --channel ntfy --events serviceDown --ntfy '${topic}'`;

export const Notifications = (): ReactElement => (
  <Collection
    title="Notifications"
    noun="channel"
    about={
      'Who is told when a deployment or a backup fails, a service goes down, ' +
      'a certificate expires, and so on.'
    }
    id="notificationId"
    list="notification.all"
    create="notification.create"
    update="notification.update"
    remove="notification.remove"
    test="notification.test"
    command={add}
    change={change}
    name={({ name }) => String(name)}
    detail={(row) => <Detail row={row} />}
    removal="It sends no more messages; those that wait to be sent are dropped."
  />
);

function Detail({ row }: { row: Row }): ReactElement {
  const { channel, enabled, events, waiting, lastError, lastSentAt } = row;
  const count = Array.isArray(events) ? events.length : 0;
  if (typeof lastError === 'string')
    return (
      <span className="text-down" title={lastError}>
        {lastError}
      </span>
    );
  return (
    <>
      {kinds[String(channel)]}, {count} {count === 1 ? 'event' : 'events'}
      {enabled === false && ', switched off'}
      {typeof waiting === 'number' && waiting > 0 && `, ${waiting} waiting`}
      {typeof lastSentAt === 'string' && (
        <>
          , sent <Ago at={lastSentAt} />
        </>
      )}
    </>
  );
}

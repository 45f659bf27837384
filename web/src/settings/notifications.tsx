/**
 * Channels of notifications: six kinds, each with its fields, events to choose and a test message; and this
 * browser.
 */
import type { ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import { Ago } from '../parts/time.tsx';
import { events, eventsAtFirst } from './notification-events.ts';
import { PushHere } from './push-here.tsx';

const kinds: Record<string, string> = {
  email: 'Mail',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  webhook: 'Webhook',
};
const about: Record<string, string> = {
  email: 'Through your SMTP server',
  slack: 'An incoming webhook of a channel',
  discord: 'A webhook of a channel',
  telegram: 'A bot and a chat',
  ntfy: 'Push to phones, by topic',
  webhook: 'Signed JSON to your address',
};

const examples: Record<string, string> = {
  'webhook.url': 'https://example.com/berth',
  'email.host': 'smtp.example.com',
  'email.port': '587',
  'email.from': 'berth@example.com',
  'email.to': 'ops@example.com',
  'slack.webhookUrl': 'https://hooks.slack.com/services/…',
  'discord.webhookUrl': 'https://discord.com/api/webhooks/…',
  'telegram.botToken': '110201543:AAHdqTc…',
  'telegram.chatId': '-1001234567890',
  'ntfy.serverUrl': 'https://ntfy.sh',
};

const words: Readonly<Record<string, FieldChange>> = {
  'email.host': { label: 'SMTP server', help: '' },
  'email.security': { isFolded: true },
  'email.from': { label: 'From' },
  'email.to': { label: 'To' },
  'email.username': { label: 'User name' },
  'slack.webhookUrl': { label: 'Address of the webhook' },
  'discord.webhookUrl': { label: 'Address of the webhook' },
  'telegram.botToken': { label: 'Token of the bot', help: 'From BotFather; never shown again' },
  'telegram.chatId': { label: 'Chat' },
  'ntfy.serverUrl': { label: 'Server' },
  'ntfy.topic': { label: 'Topic', help: 'Anyone who knows it can read the messages; choose a long one.' },
};

const change: Readonly<Record<string, FieldChange>> = {
  channel: {
    label: 'Kind',
    isKind: true,
    start: () => 'email',
    options: Object.entries(kinds).map(([value, label]) => ({ value, label, about: about[value] })),
  },
  name: { start: ({ channel }) => kinds[String(channel)] ?? '', help: 'Shown in lists' },
  events: {
    label: 'Notify when',
    help: '',
    options: events.map(([value, label]) => ({ value, label })),
    start: () => eventsAtFirst.join('\n'),
  },
  ...words,
  enabled: { when: ({ notificationId }) => notificationId !== undefined },
  ...Object.fromEntries(
    Object.keys(kinds).map((kind): [string, FieldChange] => [
      kind,
      { as: 'parts', when: ({ channel }) => channel === kind },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(examples).map(([field, example]): [string, FieldChange] => [
      field,
      { ...words[field], example },
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
    extra={<PushHere />}
    show={['channel', 'name', ...Object.keys(kinds), 'events', 'enabled']}
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
      {channel === 'push' ? 'Push to a browser' : kinds[String(channel)]}, {count}{' '}
      {count === 1 ? 'event' : 'events'}
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

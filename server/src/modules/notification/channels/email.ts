/** Mail by SMTP (RFC 5321), with TLS and sign-in. */
import { z } from 'zod';
import { badField } from '../../../domain/errors.ts';
import { cut, defineChannel, requirePlain } from './channel.ts';

const address = (): z.ZodString =>
  z
    .string()
    .max(254)
    .regex(/^[^\s<>@,;"\\]+@[^\s<>@,;"\\]+$/, 'must be a mail address such as berth@example.com');

export const email = defineChannel({
  label: 'mail',
  fields: {
    host: z
      .string()
      .max(253)
      .regex(/^[^\s/@]+$/, 'must be a host name or address')
      .describe('Of the SMTP server'),
    port: z.number().int().min(1).max(65_535).default(587),
    security: z
      .enum(['tls', 'starttls', 'none'])
      .default('starttls')
      .describe('tls: from the first byte (usually port 465); starttls: asked for and required (587)'),
    username: z.string().max(320).nullish().describe('For the sign-in; absent: none'),
    password: z.string().max(1000).nullish().describe('For the sign-in; never shown'),
    from: address(),
    to: z.array(address()).min(1).max(20),
  },
  secrets: ['password'],
  example: {
    host: 'smtp.example.com',
    port: 587,
    security: 'starttls',
    username: 'berth@example.com',
    password: 'a-password-of-its-own',
    from: 'berth@example.com',
    to: ['ops@example.com'],
  },
  origin: ({ host, port, security }) => `${host}:${port} (${security})`,
  check({ host, username, password, security }, field) {
    requirePlain(host, `${field}.host`);
    if (!username && password) throw badField(`${field}.username`, 'is required with a password');
    if (username && !password) throw badField(`${field}.password`, 'is required with a user name');
    if (username && security === 'none')
      throw badField(`${field}.security`, 'must be tls or starttls: an unencrypted sign-in can be read');
  },
  render: ({ id, title, message, at }, { from, to, host, port, security, username, password }) => ({
    by: 'mail',
    server: { host, port, security, username: username ?? undefined, password: password ?? undefined },
    mail: {
      id,
      from,
      to,
      subject: cut(`[Berth] ${title}`.replaceAll(/\s+/g, ' '), 200),
      text: `${message}\n\n${at}\n`,
    },
  }),
});

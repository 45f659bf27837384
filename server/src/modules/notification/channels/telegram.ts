/** Bots of Telegram (core.telegram.org/bots/api#sendmessage), plain text, so that nothing in it is markup. */
import { z } from 'zod';
import { cut, defineChannel, httpUrl, originOf, post } from './channel.ts';

export const telegram = defineChannel({
  label: 'Telegram',
  fields: {
    botToken: z
      .string()
      .max(200)
      .regex(/^[0-9]+:[\w-]+$/, 'must be a token as BotFather gives it, such as 110201543:AAHdqTc…')
      .describe('Never shown'),
    chatId: z.string().min(1).max(100).describe('Of a chat, group or channel; @name for a public channel'),
    threadId: z.number().int().min(1).nullish().describe('Of a topic in a group'),
    apiUrl: httpUrl().default('https://api.telegram.org').describe('Of a Bot API server of your own'),
  },
  secrets: ['botToken'],
  example: {
    botToken: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
    chatId: '-1001234567890',
    apiUrl: 'https://api.telegram.org',
  },
  origin: ({ apiUrl }) => originOf(apiUrl),
  render: ({ title, message }, { botToken, chatId, threadId, apiUrl }) =>
    post(`${apiUrl.replace(/\/+$/, '')}/bot${botToken}/sendMessage`, {
      chat_id: chatId,
      ...(threadId ? { message_thread_id: threadId } : {}),
      text: cut(`${title}\n${message}`, 4000),
      link_preview_options: { is_disabled: true },
    }),
});

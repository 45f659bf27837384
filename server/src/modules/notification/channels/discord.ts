/** Webhooks of Discord (discord.com/developers/docs/resources/webhook, "Execute Webhook"). */
import { cut, defineChannel, httpUrl, originOf, post } from './channel.ts';

const colours = { bad: 0xd92d20, good: 0x079455, neutral: 0x475467 } as const;

export const discord = defineChannel({
  label: 'Discord',
  fields: {
    webhookUrl: httpUrl().describe(
      "Address of the channel's webhook; whoever knows it may post, so it is never shown",
    ),
  },
  secrets: ['webhookUrl'],
  example: { webhookUrl: 'https://discord.com/api/webhooks/1234567890/a-token-of-sixty-eight-characters' },
  origin: ({ webhookUrl }) => originOf(webhookUrl),
  render: ({ title, message, tone, at }, { webhookUrl }) =>
    post(webhookUrl, {
      embeds: [
        { title: cut(title, 256), description: cut(message, 4000), color: colours[tone], timestamp: at },
      ],
      // Names of services and errors of builds come from tenants: nothing in them calls anybody.
      allowed_mentions: { parse: [] },
    }),
});

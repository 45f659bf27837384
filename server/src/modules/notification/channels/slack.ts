/** Incoming webhooks of Slack (docs.slack.dev, "Sending messages using incoming webhooks") and their like. */
import { cut, defineChannel, httpUrl, originOf, post } from './channel.ts';

export const slack = defineChannel({
  label: 'Slack',
  fields: {
    webhookUrl: httpUrl().describe(
      'Address of the incoming webhook; whoever knows it may post, so it is never shown',
    ),
  },
  secrets: ['webhookUrl'],
  example: { webhookUrl: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
  origin: ({ webhookUrl }) => originOf(webhookUrl),
  render({ title, message }, { webhookUrl }) {
    // A section takes 3,000 characters; `text` is what notifications and screen readers show.
    const text = cut(`*${escaped(title)}*\n${escaped(message)}`, 2900);
    return post(webhookUrl, { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] });
  },
});

/** The three characters by which text becomes a mention or a link there. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The kinds of channels: one line each, and one file each beside this. */
import { discord } from './discord.ts';
import { email } from './email.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

export const channels = { webhook, email, slack, discord, telegram, ntfy };

export type ChannelName = keyof typeof channels;
export const channelNames = Object.keys(channels).filter((name): name is ChannelName => name in channels);

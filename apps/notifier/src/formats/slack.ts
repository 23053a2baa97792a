import type { Notice, NoticeItem } from '../notices/notice.js';

/** Slack takes up to 50 blocks a message and 3,000 characters a text. */
const ITEMS_SHOWN = 10;
const TEXT_CHARS = 2_900;

const HEADLINE: Readonly<Record<Notice['type'], string>> = {
  'approval.asked': 'Waiting for a decision',
  'approval.answered': 'Decided',
  'approval.expired': 'Nobody answered in time: denied',
  'session.tripped': 'A session has come to its limit',
};

/** What a Slack incoming webhook takes: blocks, and a text for where they are not shown. */
export function slackMessage(notice: Notice): object {
  const { items, itemsOmitted = 0 } = notice.data;
  const shown = items.slice(0, ITEMS_SHOWN);
  const more = items.length - shown.length + itemsOmitted;
  const blocks = [
    section(headOf(notice)),
    ...shown.map((item) => section(itemText(item))),
    ...(more > 0 ? [section(`…and ${more} more`)] : []),
  ];
  return { text: bounded(`${HEADLINE[notice.type]}: ${subjectOf(notice)}`), blocks };
}

const section = (text: string): object => ({ type: 'section', text: { type: 'mrkdwn', text: bounded(text) } });

function headOf(notice: Notice): string {
  const { detail, endsAt, links } = notice.data;
  const lines = [`*${HEADLINE[notice.type]}*`, subjectOf(notice), ...(detail === undefined ? [] : [escaped(detail)]), ...(endsAt === undefined ? [] : [`It ends with its next plan, or at ${endsAt}`]), linksText(links)];
  return lines.filter((line) => line !== '').join('\n');
}

const subjectOf = ({ data }: Notice): string => escaped(data.plan === undefined ? `session ${data.session}` : `plan ${data.plan}`);

function itemText({ plan, itemId, provider, operation, risk, description, decision, decidedBy, message, expiresAt, links }: NoticeItem): string {
  const call = operation === undefined ? '' : `: \`${escaped(`${provider}/${operation}`)}\`${risk === undefined ? '' : ` (${risk})`}`;
  const lines = [
    `*${escaped(plan === undefined ? itemId : `${plan} ${itemId}`)}*${call}`,
    ...(description === undefined ? [] : [escaped(description)]),
    ...(decidedBy === undefined ? [] : [escaped(`${decision ?? 'ask'} by ${decidedBy}${message === undefined ? '' : `: ${message}`}`)]),
    ...(expiresAt === undefined ? [] : [`Until ${expiresAt}`]),
    linksText(links),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** Our own addresses: ids and the configured host, nothing of a stranger. */
const linksText = (links: Readonly<Record<string, string>>): string => Object.entries(links).map(([name, url]) => `<${escaped(url)}|${name}>`).join(' ');

/** The three characters by which Slack's markup, mentions of people and links among them, begins. */
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Never in the middle of an escaped character or of half a link. */
function bounded(text: string): string {
  if (text.length <= TEXT_CHARS) return text;
  const cut = text.slice(0, TEXT_CHARS).toWellFormed();
  return `${cut.replace(/&[a-z]{0,3}$/, '').replace(/<[^>]*$/, '')}…`;
}

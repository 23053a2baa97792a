import { planFacts, scenario } from '@countersign/testkit';
import { planFold } from '../state.js';
import { recordPreviews } from './record-previews.js';

const { closed, evaluated, previewTree, previewed, proposed, verdict } = planFacts;
const on = scenario(planFold, recordPreviews);
const plan = proposed(['edit', 'write', 'edit', 'read']);

describe('recordPreviews', () => {
  it('keeps trees and absences of previewable items', () => {
    const absent = { itemId: 'i3', absent: 'timeout', tookMs: 5_000 } as const;
    on.given([plan]).when({ previews: [previewTree('i1'), absent] }).then([previewed(previewTree('i1'), absent)]).thenReply({ recorded: ['i1', 'i3'] });
  });

  it('leaves out what is not previewable, unknown, named twice, previewed before, judged or closed', () => {
    on.given([plan]).when({ previews: [previewTree('i2'), previewTree('i4'), previewTree('i9')] }).thenNothing().thenReply({ recorded: [] });
    on.given([plan]).when({ previews: [previewTree('i1'), previewTree('i1', 'another')] }).then([previewed(previewTree('i1'))]);
    on.given([plan, previewed(previewTree('i1'))]).when({ previews: [previewTree('i1', 'another')] }).thenNothing();
    on.given([plan, evaluated(verdict('i1', 'ask'))]).when({ previews: [previewTree('i1'), previewTree('i3')] }).then([previewed(previewTree('i3'))]);
    on.given([plan, closed('cancelled')]).when({ previews: [previewTree('i1')] }).thenNothing();
  });
});

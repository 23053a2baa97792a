export interface FlowMap {
  readonly services: readonly string[];
  readonly flow: Readonly<Record<string, object>>;
  readonly authorOf: Readonly<Record<string, string>>;
  readonly streamOf: Readonly<Record<string, string>>;
}
export function flowText(map: FlowMap): string;

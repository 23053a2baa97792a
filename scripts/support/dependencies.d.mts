export function whyDependenciesDoNotFit(root?: string): string | undefined;

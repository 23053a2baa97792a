import type { ProviderEndpoint } from '@countersign/contracts';
import type { EndpointRequest } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';

/** The endpoint of a transport, with the fields that this transport has and no other. @throws GateError INVALID_REQUEST */
export function endpointFrom(request: EndpointRequest): ProviderEndpoint {
  const { transport, command, args, env, cwd, adapter, behaviour } = request;
  if (transport === 'fake') {
    refuseBesides(transport, { command, args, env, cwd, adapter });
    return { transport, ...(behaviour === undefined ? {} : { behaviour }) };
  }
  refuseBesides(transport, { behaviour });
  if (command === undefined) throw new GateError('INVALID_REQUEST', 'endpoint.command names the program to start');
  return {
    transport, command, args: args ?? [],
    ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }), ...(adapter === undefined ? {} : { adapter }),
  };
}

function refuseBesides(transport: string, others: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(others).filter((name) => others[name] !== undefined);
  if (given.length > 0) throw new GateError('INVALID_REQUEST', `An endpoint of transport ${transport} has no ${given.join(', ')}`);
}

/** Puts the node into the inventory. A PUT may be repeated, and so may the event: nothing else is needed to be safe. */
export async function handler({ detail }) {
  const { node, fqdn, zone } = detail.data;
  const response = await fetch(`${process.env.INVENTORY_URL}/hosts/${fqdn}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ node, zone, since: detail.time, because: detail.id }),
  });
  // What is thrown is tried again, and in the end goes to the queue Undelivered.
  if (!response.ok) throw new Error(`the inventory answered ${response.status} for ${fqdn}`);
}

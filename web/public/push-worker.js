/** Shows what Berth pushes to this browser, and opens the dashboard from it. It fetches and keeps nothing. */
self.addEventListener('push', (event) => {
  const { id, title, message } = event.data?.json() ?? {};
  event.waitUntil(
    self.registration.showNotification(title ?? 'Berth', {
      body: message,
      // Another attempt of the same message takes the place of the first.
      tag: id,
      icon: '/icon-192.png',
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show());
});

async function show() {
  const [open] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await (open ? open.focus() : self.clients.openWindow('/'));
}

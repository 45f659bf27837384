/** A preview without a pull request: of a branch, a commit or an image. */
import type { ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Service } from '../service/service.ts';

export function NewPreview({ service, onClose }: { service: Service; onClose: () => void }): ReactElement {
  const { id, kind } = service;
  const isCompose = kind === 'compose';
  return (
    <Dialog title="New preview" onClose={onClose}>
      <p className="mb-4 text-13 text-faint">
        {isCompose ? 'Give a branch or a commit.' : 'Give a branch, a commit or an image.'} The same name
        again deploys the same preview anew.
      </p>
      <Form
        of="previewDeployment.create"
        show={
          isCompose
            ? ['name', 'branch', 'commit', 'expiresInHours']
            : ['name', 'branch', 'commit', 'image', 'expiresInHours']
        }
        change={{
          name: {
            label: 'Name',
            example: 'checkout',
            help: 'Its host begins with preview-, the name of the service, and this name.',
          },
          branch: { label: 'Branch', example: 'feature/checkout' },
          commit: { label: 'Commit', help: 'Its whole id. A commit alone gets no variables or secrets.' },
          image: { label: 'Image', example: 'registry.example.com/shop:abc123' },
          expiresInHours: { label: 'Removed after hours', help: 'Empty: it stays until it is removed.' },
        }}
        fixed={isCompose ? { composeId: id } : { applicationId: id }}
        verb="Make preview"
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  );
}

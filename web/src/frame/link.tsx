/**
 * Links by plain addresses. Paths are made from ids in many places, and the router's typed form would ask
 * for each of them as a literal.
 */
import { Link, useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactElement, ReactNode } from 'react';

/** An address is the present one when it is the whole of it. */
const exact = { exact: true };

interface GoProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
  children: ReactNode;
  replace?: boolean;
}

export function Go({ to, replace = false, children, ...rest }: GoProps): ReactElement {
  const [path = '', query = ''] = to.split('?');
  const search = Object.fromEntries(new URLSearchParams(query));
  return (
    <Link to={path as '/'} search={search as never} replace={replace} activeOptions={exact} {...rest}>
      {children}
    </Link>
  );
}

export type GoTo = (to: string, options?: { replace?: boolean }) => void;

export function useGo(): GoTo {
  const router = useRouter();
  return (to, { replace = false } = {}) => {
    if (replace) router.history.replace(to);
    else router.history.push(to);
  };
}

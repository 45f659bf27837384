import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'danger' | 'danger filled' | 'quiet' | '';
  icon?: IconName;
  small?: boolean;
  isBusy?: boolean;
  /** Why it cannot be pressed; told to everybody, not in a tip alone. */
  closed?: string | undefined;
  children?: ReactNode;
}

/** A button says what it does with a verb. While its work is under way it keeps its width and its words. */
export function Button({
  look = '',
  icon,
  small = false,
  isBusy = false,
  closed,
  children,
  className = '',
  disabled,
  ...rest
}: ButtonProps): ReactElement {
  const size = small ? 'small' : '';
  const shape = children === undefined ? 'icon' : '';
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy || closed !== undefined}
      title={closed ?? rest.title}
      aria-busy={isBusy || undefined}
      className={`button ${look} ${size} ${shape} ${className}`}
    >
      {icon && <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  );
}

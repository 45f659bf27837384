#!/usr/bin/perl
# Gives a part of an image of this builder's engine, as whoever connects to the socket asks in one line:
#   config SHA256   the image's configuration
#   layer SHA256    the layer of this chain id, as the tar archive whose digest is its diff id
# The answer is a line with the number of bytes, then the bytes; nothing at all for what is not there.
# An engine keeps of a layer its files, and of its archive what stands between them (tar-split), so that single
# layers can be had without saving the whole image.
#
# give.pl SOCKET listens there, for root alone. It is one program for all who ask, and forks for each: starting
# perl takes longer than giving a small part.
use strict;
use warnings;
use Socket qw(AF_UNIX SOCK_STREAM pack_sockaddr_un);
use MIME::Base64 qw(decode_base64);

# So much of what stands between the files of a layer is kept from the first reading for the second.
my $most_kept = 4 << 20;
my $root;

my $path = shift // die "usage: give.pl SOCKET\n";
umask 0177;
socket my $listening, AF_UNIX, SOCK_STREAM, 0 or die "socket: $!";
bind $listening, pack_sockaddr_un($path) or die "$path: $!";
listen $listening, 128 or die "$path: $!";
$SIG{CHLD} = 'IGNORE';
while (1) {
  my $asking;
  if (!accept $asking, $listening) {
    # Interrupted, or too many files are open.
    select undef, undef, undef, 0.02;
    next;
  }
  my $child = fork;
  if (defined $child && $child == 0) {
    # What is started here is waited for.
    $SIG{CHLD} = 'DEFAULT';
    close $listening;
    answer($asking);
    exit;
  }
  close $asking;
}

sub answer {
  my ($asking) = @_;
  my ($kind, $sha) = (<$asking> // '') =~ /^(config|layer) ([0-9a-f]{64})$/ or exit 1;
  ($root) = glob '/var/lib/docker/*.*/image/overlay2';
  defined $root or exit 1;
  binmode $asking;
  select $asking;
  $kind eq 'config' ? give_config($sha) : give_layer($sha);
  close $asking;
}

sub give_config {
  my ($sha) = @_;
  my $path = "$root/imagedb/content/sha256/$sha";
  open my $file, '<:raw', $path or exit 1;
  print -s $file, "\n";
  copy($file, -s $file);
}

sub give_layer {
  my ($sha) = @_;
  my $noted = "$root/layerdb/sha256/$sha";
  open my $named, '<', "$noted/cache-id" or exit 1;
  my ($folder) = <$named> =~ /^([0-9a-z-]+)$/ or exit 1;
  my $counted = parts_of($noted);
  my ($size, $length, @kept) = (0, 0);
  while (my $line = <$counted>) {
    my ($name, $payload) = part($line);
    $size += ref $payload ? $$payload : length $payload;
    $length += length $line;
    $length <= $most_kept ? push @kept, $line : (@kept = ());
  }
  close $counted or exit 1;
  my $again = $length <= $most_kept ? undef : parts_of($noted);
  # A link among the files leads nowhere but into the layer.
  chroot "$root/../../overlay2/$folder/diff" or exit 1;
  chdir '/';
  print "$size\n";
  while (defined(my $line = $again ? <$again> : shift @kept)) {
    my ($name, $payload) = part($line);
    if (!ref $payload) { print $payload; next; }
    next if $$payload == 0;
    open my $file, '<:raw', "/$name" or die "$name: $!";
    copy($file, $$payload);
  }
}

sub parts_of {
  my ($noted) = @_;
  open my $parts, '-|', 'gzip', '-dc', "$noted/tar-split.json.gz" or exit 1;
  return $parts;
}

# Name and reference to the size of a file; undef and the bytes of what stands between files.
sub part {
  my ($line) = @_;
  if ($line =~ /"type":2,/) {
    my ($payload) = $line =~ /"payload":"([A-Za-z0-9+\/=]*)"/;
    return (undef, decode_base64($payload // ''));
  }
  my ($size) = $line =~ /"size":(\d+)/;
  my $bytes = $size // 0;
  return (decode_base64($1), \$bytes) if $line =~ /"name_raw":"([A-Za-z0-9+\/=]+)"/;
  my ($name) = $line =~ /"name":"((?:[^"\\]|\\.)*)"/;
  return (text($name // ''), \$bytes);
}

sub text {
  my ($text) = @_;
  my %short = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
  $text =~ s/\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/utf8(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff))/ge;
  $text =~ s/\\u([0-9a-fA-F]{4})|\\(.)/defined $1 ? utf8(hex $1) : $short{$2} \/\/ $2/ge;
  return $text;
}

sub utf8 {
  my $letter = chr shift;
  utf8::encode($letter);
  return $letter;
}

sub copy {
  my ($file, $left) = @_;
  while ($left > 0) {
    my $got = read $file, my $bytes, $left < 1 << 20 ? $left : 1 << 20;
    die 'a file is shorter than noted' unless $got;
    print $bytes;
    $left -= $got;
  }
}

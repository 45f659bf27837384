#!/bin/bash
# What the engine and its steps reach. From the environment, networks as CIDR between spaces:
#   BERTH_NEVER   reached by nobody: link-local, metadata, the platform's own
#   BERTH_OPEN    named by the settings, open although they are private
#   BERTH_CLOSED  private networks; empty for whoever reaches them
#   BERTH_HOST    the machine's own addresses; of it only the ports BERTH_HOST_PORTS (its proxy) are reached
# Resolvers are reached on their port alone.
set -euo pipefail
family() { # 4 or 6, then networks: those of the family
  local kind=$1 network
  shift
  for network in "$@"; do
    case $kind$network in
      4*:* | 6*.*.*.*) ;;
      4* | 6*) printf '%s, ' "$network" ;;
    esac
  done
}
set_of() { # name, family, networks
  local name=$1 kind=$2 elements
  shift 2
  elements=$(family "$kind" "$@")
  printf 'set %s%s { type ipv%s_addr; flags interval; auto-merge; %s }\n' \
    "$name" "$kind" "$kind" "${elements:+elements = { ${elements%, } \}}"
}
# The network that this container shares with neighbours.
beside=$(ip -o -4 route show scope link | cut -d' ' -f1 | tr '\n' ' ')
nameservers=$(sed -n 's/^nameserver *//p' /etc/resolv.conf | tr '\n' ' ')
read -ra never <<<"$BERTH_NEVER $beside"
read -ra open <<<"$BERTH_OPEN"
read -ra closed <<<"$BERTH_CLOSED"
read -ra own <<<"$BERTH_HOST"
read -ra resolvers <<<"$nameservers"
{
  echo 'table inet berth {'
  for kind in 4 6; do
    set_of resolver "$kind" "${resolvers[@]}"
    set_of never "$kind" "${never[@]}"
    set_of open "$kind" "${open[@]}"
    set_of closed "$kind" "${closed[@]}"
    set_of own "$kind" "${own[@]}"
  done
  echo 'chain judge {'
  for kind in 4 6; do
    to=$([ "$kind" = 4 ] && echo 'ip daddr' || echo 'ip6 daddr')
    echo "$to @resolver$kind udp dport 53 accept"
    echo "$to @resolver$kind tcp dport 53 accept"
    echo "$to @never$kind reject"
    echo "$to @own$kind tcp dport != { ${BERTH_HOST_PORTS// /, } } reject"
    echo "$to @own$kind meta l4proto != tcp reject"
    echo "$to @open$kind accept"
    echo "$to @closed$kind reject"
  done
  echo '}'
  echo 'chain leaves { type filter hook output priority -10; oifname "lo" accept; ct state established,related accept; jump judge; }'
  echo 'chain passes { type filter hook forward priority -10; ct state established,related accept; iifname "eth0" reject; jump judge; }'
  echo 'chain enters { type filter hook input priority -10; iifname "lo" accept; ct state established,related accept; meta l4proto ipv6-icmp accept; reject; }'
  echo '}'
} | nft -f -

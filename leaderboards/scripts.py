"""What the board cache asks Redis to do in one step. Keys and members are described in `leaderboards.cache`."""

from __future__ import annotations

from typing import Final

_PLAY: Final = """
local function play(delta)
  local op, race, fewest, rest = string.match(delta, '^(.)(%d+):(%d+):(.*)$')
  if op == '0' then return end
  local player = string.sub(rest, 1, 8)
  local old = redis.call('HGET', KEYS[4], player)
  if old then
    local member = string.sub(old, 1, 56)
    redis.call('ZREM', KEYS[2], member)
    redis.call('ZREM', KEYS[3], member)
    redis.call('HDEL', KEYS[4], player)
  end
  if op == '+' then
    local member = string.sub(rest, 9, 64)
    redis.call('ZADD', KEYS[2], race, member)
    redis.call('ZADD', KEYS[3], fewest, member)
    redis.call('HSET', KEYS[4], player, string.sub(rest, 9))
  end
end
local function catch_up(at)
  while true do
    local field = string.format('%.0f', at + 1)
    local delta = redis.call('HGET', KEYS[5], field)
    if not delta then break end
    play(delta)
    redis.call('HDEL', KEYS[5], field)
    at = at + 1
  end
  redis.call('HSET', KEYS[1], 'version', string.format('%.0f', at), 'entries', redis.call('ZCARD', KEYS[2]))
  for i = 1, 5 do redis.call('EXPIRE', KEYS[i], ARGV[1]) end
  return at
end
"""

#: KEYS: meta, race, fewest, members, waiting, filling. ARGV: lifetime, version, delta.
#: Answers the version reached, -1 where nothing is cached.
APPLY: Final = (
    _PLAY
    + """
local version = tonumber(ARGV[2])
local at = redis.call('HGET', KEYS[1], 'version')
if not at then
  if redis.call('EXISTS', KEYS[6]) == 1 then
    redis.call('HSET', KEYS[5], ARGV[2], ARGV[3])
    redis.call('EXPIRE', KEYS[5], ARGV[1])
  end
  return -1
end
at = tonumber(at)
if version <= at then return at end
redis.call('HSET', KEYS[5], ARGV[2], ARGV[3])
return catch_up(at)
"""
)

#: KEYS: as above, then the filled race, fewest and members. ARGV: lifetime, version, token.
#: Puts a fill in place unless it is not the one under way or what is there is as new; answers 1 when it did.
INSTALL: Final = (
    _PLAY
    + """
local at = redis.call('HGET', KEYS[1], 'version')
local version = tonumber(ARGV[2])
local mine = redis.call('GET', KEYS[6]) == ARGV[3]
if mine then redis.call('DEL', KEYS[6]) end
if not mine or (at and tonumber(at) >= version) then
  redis.call('DEL', KEYS[7], KEYS[8], KEYS[9])
  return 0
end
for i = 2, 4 do
  redis.call('DEL', KEYS[i])
  if redis.call('EXISTS', KEYS[i + 5]) == 1 then redis.call('RENAME', KEYS[i + 5], KEYS[i]) end
end
for _, field in ipairs(redis.call('HKEYS', KEYS[5])) do
  if tonumber(field) <= version then redis.call('HDEL', KEYS[5], field) end
end
catch_up(version)
return 1
"""
)

_WHOLE: Final = """
local entries = tonumber(redis.call('HGET', KEYS[1], 'entries') or -1)
if redis.call('ZCARD', KEYS[2]) ~= entries or redis.call('HLEN', KEYS[3]) ~= entries then return false end
"""

_ROWS: Final = (
    _WHOLE
    + """
local function rows(first, last)
  if first < 0 then first = 0 end
  local found = redis.call('ZRANGE', KEYS[2], first, last, 'WITHSCORES')
  if last < first then found = {} end
  local players = {}
  for i = 1, #found, 2 do players[#players + 1] = string.sub(found[i], 17, 24) end
  local named = {}
  if #players > 0 then named = redis.call('HMGET', KEYS[3], unpack(players)) end
  return {entries, first, found, named}
end
"""
)

#: KEYS: meta, one board, members. ARGV: first index, last index. Answers how many there are, the first index, the rows
#: with their scores, and the members with their players' names.
PAGE: Final = _ROWS + "return rows(tonumber(ARGV[1]), tonumber(ARGV[2]))"

#: KEYS: as above. ARGV: key, ties, limit, "1" for the entries before. A page next to a position.
BESIDE: Final = (
    _ROWS
    + """
local index = redis.call('ZCOUNT', KEYS[2], '-inf', '(' .. ARGV[1])
local through = index
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[1], ARGV[1])) do
  local ties = string.sub(member, 1, 16)
  if ties < ARGV[2] then index = index + 1 end
  if ties <= ARGV[2] then through = through + 1 end
end
local limit = tonumber(ARGV[3])
if ARGV[4] == '1' then return rows(index - limit, index - 1) end
return rows(through, through + limit - 1)
"""
)

#: KEYS: as above. ARGV: player, how many before and after. Nothing listed: an empty page.
AROUND: Final = (
    _ROWS
    + """
local member = redis.call('HGET', KEYS[3], ARGV[1])
local index = member and redis.call('ZRANK', KEYS[2], string.sub(member, 1, 56))
if not index then return {entries, 0, {}, {}} end
return rows(index - tonumber(ARGV[2]), index + tonumber(ARGV[2]))
"""
)

#: KEYS: as above. ARGV: player. The rank from 1, 0 for a player who is not listed, nil where nothing is cached.
RANK: Final = (
    _WHOLE
    + """
local member = redis.call('HGET', KEYS[3], ARGV[1])
local index = member and redis.call('ZRANK', KEYS[2], string.sub(member, 1, 56))
return index and index + 1 or 0
"""
)

"""What one would write in Spark SQL without Tocsin, for the patterns that are compared."""

from __future__ import annotations

LAG = """
    select user, before as start, time as end
    from (
        select user, time, type, lag(time) over w as before, lag(type) over w as kind
        from events
        where type in ('B', 'P', 'T')
        window w as (partition by user order by time)
    )
    where type = 'B' and kind = 'B' and time <= before + interval 2 seconds
"""
"""`(B ; B) within 2s - (P | T)`: a B right after a B."""

JOIN = """
    select a.user, a.time as start, b.time as middle, c.time as end
    from events a
    join events b on b.user = a.user
    join events c on c.user = a.user
    where a.step = 'A' and b.step = 'B' and c.step = 'C'
      and a.time < b.time and b.time < c.time and c.time <= a.time + interval 60 seconds
      and not exists (
          select * from events d
          where d.user = a.user and d.step = 'D' and d.time between a.time and c.time
      )
"""
"""`(A ; B ; C) within 60s - D`, unrestricted: every A, B and C that fit, as the pattern reads."""

BOUNDED = JOIN.replace(
    "a.time < b.time", "a.time < b.time and b.time <= a.time + interval 60 seconds"
)
"""The same, by someone who knows that Spark does not see by itself that B is within it too."""

WINDOWS = """
    select user, start, time as end
    from (
        select *, max(if(step = 'B', a_before, null)) over earlier as start
        from (
            select user, time, step,
                   max(if(step = 'A', time, null)) over earlier as a_before,
                   max(if(step = 'D', time, null)) over so_far as d_before
            from events
            window earlier as (
                       partition by user order by unix_micros(time)
                       range between unbounded preceding and 1 preceding
                   ),
                   so_far as (
                       partition by user order by unix_micros(time)
                       range between unbounded preceding and current row
                   )
        )
        window earlier as (
            partition by user order by unix_micros(time)
            range between unbounded preceding and 1 preceding
        )
    )
    where step = 'C' and time <= start + interval 60 seconds
      and (d_before is null or d_before < start)
"""
"""The same, restricted: for each C the A that leaves the shortest time, by who knows how."""

"""The papers' own algorithms, as a second opinion on the oracle: one file per figure's paper.

They share no code with the oracle's operators. Both are written to be read beside the figures, so
they keep the papers' variable names: `a` for the current instance, `t` for a time, `Q` or `q` for
stored instances, `S` for start times, `j` and `k` for the operands; only `l` and `r` are spelled
out as `left` and `right`. None stands for ε, "no occurrence".
"""

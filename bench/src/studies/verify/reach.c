/* Counts the reachable states of a model with BuDDy: what a plain program over a library of diagrams takes.

   reach philosophers N apart NODES CACHE   one relation for each philosopher, over what he touches; one after the other until nothing is new
   reach philosophers N whole NODES CACHE   one relation, breadth first
   reach counters N whole NODES CACHE       the same; all counters move in one step, so there is nothing to take apart

   The models are those of models.rs, written down a second time by hand. A bit is two variables of BuDDy, now and next, one
   under the other; bits are in the order of the variables of the model. NODES and CACHE are the sizes of the tables at the
   start, on which BuDDy's time depends by factors: small ones cost nothing to set up, large ones are not cleaned all the time. */

#include <bdd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512 /* bits */

static int bits;
static bddPair *back; /* next to now */

static BDD now(int bit) { return bdd_ithvar(2 * bit); }
static BDD next(int bit) { return bdd_ithvar(2 * bit + 1); }

/* Frees what is replaced: BuDDy counts references by hand. */
static void set(BDD *place, BDD value) {
  bdd_addref(value);
  bdd_delref(*place);
  *place = value;
}

static void and_with(BDD *place, BDD value) {
  bdd_addref(value);
  set(place, bdd_and(*place, value));
  bdd_delref(value);
}

static void or_with(BDD *place, BDD value) {
  bdd_addref(value);
  set(place, bdd_or(*place, value));
  bdd_delref(value);
}

static BDD same(int bit) { return bdd_biimp(now(bit), next(bit)); }

/* The bits first, first + 1 … as a number, the highest bit first. */
static void is(BDD *place, int first, int width, int value, BDD (*when)(int)) {
  for (int i = 0; i < width; i++) {
    int one = value >> (width - 1 - i) & 1;
    and_with(place, one ? when(first + i) : bdd_not(when(first + i)));
  }
}

/* The variables of some bits, to be quantified. */
static BDD variables(const int *which, int count) {
  int vars[MOST];
  for (int i = 0; i < count; i++) vars[i] = 2 * which[i];
  BDD all = bdd_makeset(vars, count);
  bdd_addref(all);
  return all;
}

static BDD image(BDD states, BDD relation, BDD quantified) {
  BDD after = bdd_addref(bdd_relprod(states, relation, quantified));
  BDD result = bdd_addref(bdd_replace(after, back));
  bdd_delref(after);
  return result;
}

/* Philosopher i has the bits 3i and 3i + 1, fork i has 3i + 2; a fork is true while it lies on the table. */
enum { THINK, LEFT, BOTH, RIGHT };

static int fork_of(int i, int n) { return 3 * (i % n) + 2; }

/* One move: from one place to another, and the fork that is taken or put down. */
static void move(BDD *relation, int i, int from, int to, int fork, int other, int takes) {
  BDD one = bdd_addref(bddtrue);
  is(&one, 3 * i, 2, from, now);
  is(&one, 3 * i, 2, to, next);
  if (takes) and_with(&one, now(fork));
  and_with(&one, takes ? bdd_not(next(fork)) : next(fork));
  and_with(&one, same(other));
  or_with(relation, one);
  bdd_delref(one);
}

/* The moves of a philosopher, over his own bits and those of his forks. That he may also wait changes no set of states. */
static BDD philosopher(int i, int n) {
  BDD relation = bdd_addref(bddfalse);
  int left = fork_of(i, n), right = fork_of(i + 1, n);
  move(&relation, i, THINK, LEFT, left, right, 1);
  move(&relation, i, LEFT, BOTH, right, left, 1);
  move(&relation, i, BOTH, RIGHT, left, right, 0);
  move(&relation, i, RIGHT, THINK, right, left, 0);
  return relation;
}

static BDD philosophers_apart(int n, BDD states) {
  BDD *relations = malloc(n * sizeof *relations), *touched = malloc(n * sizeof *touched);
  for (int i = 0; i < n; i++) {
    int which[4] = {3 * i, 3 * i + 1, fork_of(i, n), fork_of(i + 1, n)};
    relations[i] = philosopher(i, n);
    touched[i] = variables(which, 4);
  }
  for (BDD before = bddfalse; before != states;) {
    set(&before, states);
    /* From the bottom up: the other way round takes several times as long. */
    for (int i = n - 1; i >= 0; i--) {
      BDD after = image(states, relations[i], touched[i]);
      or_with(&states, after);
      bdd_delref(after);
    }
  }
  return states;
}

static BDD philosophers_whole(int n) {
  BDD relation = bdd_addref(bddfalse);
  for (int i = 0; i < n; i++) {
    BDD one = philosopher(i, n);
    /* From the last bit to the first, so that each conjunction meets a small diagram. */
    for (int bit = bits - 1; bit >= 0; bit--)
      if (bit / 3 != i && bit != fork_of(i + 1, n)) and_with(&one, same(bit));
    or_with(&relation, one);
    bdd_delref(one);
  }
  return relation;
}

/* Counter i has the bits 3i to 3i + 2, the highest first, and counts if all before it are at 7. */
static BDD counters(int n) {
  BDD relation = bdd_addref(bddtrue), carry = bdd_addref(bddtrue);
  for (int i = 0; i < n; i++)
    for (int bit = 3 * i + 2; bit >= 3 * i; bit--) {
      BDD sum = bdd_addref(bdd_xor(now(bit), carry));
      and_with(&relation, bdd_biimp(next(bit), sum));
      bdd_delref(sum);
      and_with(&carry, now(bit));
    }
  bdd_delref(carry);
  return relation;
}

static BDD breadth_first(BDD relation, BDD states) {
  int all[MOST];
  for (int i = 0; i < bits; i++) all[i] = i;
  BDD quantified = variables(all, bits), fresh = bdd_addref(states);
  while (fresh != bddfalse) {
    BDD after = image(fresh, relation, quantified);
    set(&fresh, bdd_apply(after, states, bddop_diff));
    or_with(&states, after);
    bdd_delref(after);
  }
  return states;
}

int main(int argc, char **argv) {
  int n = argc == 6 ? atoi(argv[2]) : 0;
  int dining = n && !strcmp(argv[1], "philosophers"), apart = n && !strcmp(argv[3], "apart");
  if (n < 2 || 3 * n > MOST || (!dining && (strcmp(argv[1], "counters") || apart))) {
    fprintf(stderr, "usage: reach philosophers|counters N apart|whole NODES CACHE\n");
    return 2;
  }
  bits = 3 * n;
  bdd_init(atoi(argv[4]), atoi(argv[5]));
  bdd_setmaxincrease(10000000);
  bdd_setcacheratio(4);
  bdd_gbc_hook(NULL);
  bdd_setvarnum(2 * bits);
  back = bdd_newpair();
  for (int i = 0; i < bits; i++) bdd_setpair(back, 2 * i + 1, 2 * i);

  BDD states = bdd_addref(bddtrue);
  for (int i = 0; i < n; i++) {
    is(&states, 3 * i, dining ? 2 : 3, 0, now);
    if (dining) and_with(&states, now(fork_of(i, n)));
  }
  if (apart)
    states = philosophers_apart(n, states);
  else
    states = breadth_first(dining ? philosophers_whole(n) : counters(n), states);
  int all[MOST];
  for (int i = 0; i < bits; i++) all[i] = i;
  /* How many values the bits now have; the others are free. */
  printf("states %.17g nodes %d\n", bdd_satcountset(states, variables(all, bits)), bdd_nodecount(states));
  return 0;
}

// The pieces of `subjects.h`, tested with GoogleTest.
#include <gtest/gtest.h>

#include "subjects.h"

template <bool R> void transfer()
{
    Accounts<R> accounts;
    both([&] { accounts.forward(); }, [&] { accounts.backward(); });
    EXPECT_EQ(accounts.balance[0], 10);
}

template <bool R> void count()
{
    Hits<R> hits;
    both([&] { hits.add(); }, [&] { hits.add(); });
    EXPECT_EQ(int(hits.hits), 2);
}

template <bool R> void deliver()
{
    Box<R> box;
    int taken = 0;
    both([&] { box.put(5); }, [&] { taken = box.take(); });
    EXPECT_EQ(taken, 5);
}

template <bool R> void sell()
{
    Stock<R> stock;
    bool first = false, second = false;
    both([&] { first = stock.sell(); }, [&] { second = stock.sell(); });
    EXPECT_NE(first, second);
}

template <bool R> void publish()
{
    Published<R> published;
    both([&] { published.publish(); }, [&] { published.read(); });
}

TEST(Broken, Transfer) { transfer<false>(); }
TEST(Broken, Count) { count<false>(); }
TEST(Broken, Deliver) { deliver<false>(); }
TEST(Broken, Sell) { sell<false>(); }
TEST(Broken, Publish) { publish<false>(); }
TEST(Repaired, Transfer) { transfer<true>(); }
TEST(Repaired, Count) { count<true>(); }
TEST(Repaired, Deliver) { deliver<true>(); }
TEST(Repaired, Sell) { sell<true>(); }
TEST(Repaired, Publish) { publish<true>(); }
TEST(Repaired, DISABLED_NotYet) { FAIL(); }

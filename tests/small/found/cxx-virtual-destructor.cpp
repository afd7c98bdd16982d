// An object is destroyed while another thread calls it.
//
// heddle: kind = memory
#include <thread>

struct Base {
    virtual ~Base() = default;
    virtual int call()
    {
        return 1;
    }
};

struct Derived : Base {
    int call() override
    {
        return 2;
    }
};

int main()
{
    Base *object = new Derived;
    std::thread thread([=] { (void)object->call(); });
    delete object;
    thread.join();
    return 0;
}
